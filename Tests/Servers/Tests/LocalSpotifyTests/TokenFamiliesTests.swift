// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import LocalSpotify

private let start = Date(timeIntervalSince1970: 1_800_000_000)

extension TokenFamilies {
    fileprivate static func make(
        rotation: TokenPolicy.Rotation = .on, lifetime: Int = 60, grace: Int = 0
    ) -> TokenFamilies {
        TokenFamilies(
            policy: TokenPolicy(
                rotation: rotation, accessTokenLifetime: .seconds(lifetime), grace: .seconds(grace)))
    }

    /// Signs in and returns the refresh token.
    fileprivate mutating func firstRefreshToken() throws -> String {
        try #require(signIn(at: start).tokens?.refreshToken)
    }

    /// Refreshes and returns the new refresh token.
    fileprivate mutating func successor(of token: String, after seconds: Double) throws -> String {
        try #require(refresh(with: token, at: start + seconds).tokens?.refreshToken)
    }
}

@Suite struct `Token families that rotate` {
    @Test func `each refresh brings the next generation and a new refresh token`() throws {
        var families = TokenFamilies.make()
        let first = try families.firstRefreshToken()

        let decision = families.refresh(with: first, at: start + 60)

        #expect(decision.outcome == .refreshed)
        #expect(decision.family == 0)
        #expect(decision.presented == 0)
        #expect(decision.repetition == .none)
        #expect(decision.tokens?.generation == 1)
        #expect(decision.tokens?.refreshToken != first)
    }

    @Test func `a spent refresh token ends its whole family`() throws {
        var families = TokenFamilies.make()
        let first = try families.firstRefreshToken()
        let access = try #require(families.refresh(with: first, at: start).tokens?.accessToken)
        let second = try #require(families.signIn(at: start).tokens)

        let reuse = families.refresh(with: first, at: start + 1)

        #expect(reuse.outcome == .reuseDetected)
        #expect(reuse.repetition == .duplicate)
        #expect(reuse.tokens == nil)
        #expect(families.standing(of: access, at: start + 1) == .invalid)
        #expect(families.endedFamilies == 1)
        #expect(families.standing(of: second.accessToken, at: start + 1) == .valid, "another sign-in stays valid")
    }

    @Test func `within the grace the spent refresh token brings the same successor again`() throws {
        var families = TokenFamilies.make(grace: 5)
        let first = try families.firstRefreshToken()
        let successor = try families.successor(of: first, after: 10)

        let again = families.refresh(with: first, at: start + 15)

        #expect(again.outcome == .replayed)
        #expect(again.repetition == .duplicate)
        #expect(again.tokens?.refreshToken == successor)
        let next = families.refresh(with: successor, at: start + 16)
        #expect(next.outcome == .refreshed)
    }

    @Test func `after the grace the spent refresh token ends the family`() throws {
        var families = TokenFamilies.make(grace: 5)
        let first = try families.firstRefreshToken()
        _ = try families.successor(of: first, after: 10)
        let late = families.refresh(with: first, at: start + 15.001)

        #expect(late.outcome == .reuseDetected)
    }

    @Test func `once the successor was used the grace is over`() throws {
        var families = TokenFamilies.make(grace: 5)
        let first = try families.firstRefreshToken()
        let second = try families.successor(of: first, after: 10)
        _ = try families.successor(of: second, after: 11)
        let late = families.refresh(with: first, at: start + 12)

        #expect(late.outcome == .reuseDetected)
    }

    @Test func `a repetition after a lost answer is no duplicate, another one is`() throws {
        var families = TokenFamilies.make(grace: 5)
        let first = try families.firstRefreshToken()
        families.noteLostAnswer(to: families.refresh(with: first, at: start))

        let repetitions = [families.refresh(with: first, at: start), families.refresh(with: first, at: start)]

        #expect(repetitions.map(\.repetition) == [.afterLostAnswer, .duplicate])
    }

    @Test func `a refresh token that was never issued belongs to no family`() {
        var families = TokenFamilies.make()
        let decision = families.refresh(with: "made up", at: start)
        #expect(decision.outcome == .unknownToken)
        #expect(decision.family == nil)
        #expect(decision.tokens == nil)
    }
}

@Suite struct `Token families that do not rotate` {
    @Test func `a refresh brings no refresh token, and the old one stays valid`() throws {
        var families = TokenFamilies.make(rotation: .off)
        let token = try families.firstRefreshToken()

        let decisions = [60.0, 120].map { families.refresh(with: token, at: start + $0) }

        #expect(decisions.map(\.outcome) == [.refreshed, .refreshed])
        #expect(decisions.map(\.repetition) == [.none, .none])
        #expect(decisions.map(\.tokens?.generation) == [1, 2])
        #expect(decisions.allSatisfy { $0.tokens?.refreshToken == nil })
    }

    @Test func `a second refresh of the same generation is a duplicate`() throws {
        var families = TokenFamilies.make(rotation: .off)
        let token = try families.firstRefreshToken()
        _ = families.refresh(with: token, at: start + 60)
        let again = families.refresh(with: token, at: start + 60.1)

        #expect(again.repetition == .duplicate)
    }

    @Test func `a refresh after the access tokens were revoked is no duplicate, the next one is`() throws {
        var families = TokenFamilies.make(rotation: .off)
        let token = try families.firstRefreshToken()
        families.revokeAccessTokens()

        let decisions = (0..<2).map { _ in families.refresh(with: token, at: start + 1) }

        #expect(decisions.map(\.repetition) == [.none, .duplicate])
    }

    @Test func `a repetition after a lost answer is no duplicate`() throws {
        var families = TokenFamilies.make(rotation: .off)
        let token = try families.firstRefreshToken()
        families.noteLostAnswer(to: families.refresh(with: token, at: start + 60))
        let again = families.refresh(with: token, at: start + 60.1)

        #expect(again.repetition == .afterLostAnswer)
    }

    @Test func `a lost answer explains only the next call`() throws {
        var families = TokenFamilies.make(rotation: .off)
        let token = try families.firstRefreshToken()
        families.noteLostAnswer(to: families.refresh(with: token, at: start + 60))
        _ = families.refresh(with: token, at: start + 120)
        let again = families.refresh(with: token, at: start + 120)

        #expect(again.repetition == .duplicate)
    }
}

@Suite struct `Token families that have ended` {
    @Test(arguments: TokenPolicy.Rotation.allCases)
    func `refuse their newest refresh token, and presenting it again is a duplicate`(
        rotation: TokenPolicy.Rotation
    ) throws {
        var families = TokenFamilies.make(rotation: rotation)
        let first = try families.firstRefreshToken()
        families.revokeFamilies()

        let decisions = (0..<2).map { _ in families.refresh(with: first, at: start + 60) }

        #expect(decisions.map(\.outcome) == [.familyEnded, .familyEnded])
        #expect(decisions.map(\.repetition) == [.none, .duplicate])
    }
}

@Suite struct `Access tokens` {
    @Test func `are valid exactly for their lifetime`() throws {
        var families = TokenFamilies.make(lifetime: 2)
        let access = try #require(families.signIn(at: start).tokens?.accessToken)

        #expect(families.standing(of: access, at: start + 1.999) == .valid)
        #expect(families.standing(of: access, at: start + 2) == .expired)
        #expect(families.standing(of: "made up", at: start) == .invalid)
    }

    @Test func `are revoked at once, and the sign-in continues`() throws {
        var families = TokenFamilies.make()
        let tokens = try #require(families.signIn(at: start).tokens)
        families.revokeAccessTokens()

        #expect(families.standing(of: tokens.accessToken, at: start) == .invalid)
        #expect(!families.newestAccessToken(hasLeft: 0, at: start))
        let decision = families.refresh(with: try #require(tokens.refreshToken), at: start)
        #expect(families.standing(of: try #require(decision.tokens?.accessToken), at: start) == .valid)
        #expect(families.newestAccessToken(hasLeft: 0.9, at: start))
        #expect(families.endedFamilies == 0)
    }

    @Test func `are never printed`() throws {
        var families = TokenFamilies.make()
        let tokens = try #require(families.signIn(at: start).tokens)
        var dumped = ""
        dump(tokens, to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), dumped] {
            #expect(!text.contains(tokens.accessToken))
            #expect(!text.contains(try #require(tokens.refreshToken)))
        }
    }
}

@Suite struct `Authorization codes` {
    @Test func `are valid once and for ten minutes`() {
        var codes = AuthorizationCodes()
        let (used, old) = (codes.issue(at: start), codes.issue(at: start))

        let good = [(used, 599.0), (used, 599), (old, 600), ("made up", 0)].map {
            codes.redeem($0, at: start + $1)
        }
        #expect(good == [.good, .replayed(family: nil), .bad, .bad])
    }
}
