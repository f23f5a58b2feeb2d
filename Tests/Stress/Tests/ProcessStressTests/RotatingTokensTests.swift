// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import ProcessStress

/// The server's decisions on refresh tokens that are presented again.
@Suite struct RotatingTokensTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func tokens(_ mode: GraceMode, grace: Double = 5) -> (RotatingTokens, TokenPair) {
        var tokens = RotatingTokens(mode: mode, grace: grace, lifetime: 3600)
        let decision = tokens.signIn(at: start)
        return (tokens, decision.pair ?? TokenPair(accessToken: "", refreshToken: "", expiresAt: start))
    }

    @Test(arguments: GraceMode.allCases)
    func `each refresh token brings the next pair once`(mode: GraceMode) throws {
        var (tokens, pair) = tokens(mode)
        for generation in 0..<3 {
            let decision = tokens.exchange(pair.refreshToken, at: start)
            #expect(decision.event == .committed)
            #expect(decision.place == Place(family: 0, generation: generation))
            #expect(decision.pair?.refreshToken != pair.refreshToken)
            pair = try #require(decision.pair)
        }
    }

    @Test func `previous-only accepts the last one within the grace, with the same successor`() throws {
        var (tokens, first) = tokens(.previousOnly)
        let second = tokens.exchange(first.refreshToken, at: start)
        let again = tokens.exchange(first.refreshToken, at: start + 5)
        #expect(again.event == .replayed)
        #expect(again.place == Place(family: 0, generation: 0))
        #expect(again.pair == second.pair)
    }

    @Test func `previous-only revokes the family after the grace`() throws {
        var (tokens, first) = tokens(.previousOnly)
        let second = try #require(tokens.exchange(first.refreshToken, at: start).pair)
        #expect(tokens.exchange(first.refreshToken, at: start + 5.001).event == .reused)
        #expect(tokens.exchange(second.refreshToken, at: start + 6).event == .refused)
        #expect(!tokens.use(second.accessToken, at: start + 6).isGood)
    }

    @Test func `previous-only revokes the family once the successor was used, as access token or as refresh token`()
        throws
    {
        var (tokens, first) = tokens(.previousOnly)
        let second = try #require(tokens.exchange(first.refreshToken, at: start).pair)
        #expect(tokens.use(first.accessToken, at: start).isGood)
        #expect(tokens.exchange(first.refreshToken, at: start).event == .replayed)
        #expect(tokens.use(second.accessToken, at: start) == (Place(family: 0, generation: 1), true))
        #expect(tokens.exchange(first.refreshToken, at: start).event == .reused)

        (tokens, first) = self.tokens(.previousOnly)
        let successor = try #require(tokens.exchange(first.refreshToken, at: start).pair)
        #expect(tokens.exchange(successor.refreshToken, at: start).event == .committed)
        #expect(tokens.exchange(first.refreshToken, at: start).event == .reused)
    }

    @Test func `replay-any accepts any one within the grace, with the newest pair`() throws {
        var (tokens, first) = tokens(.replayAny)
        let second = try #require(tokens.exchange(first.refreshToken, at: start).pair)
        let third = try #require(tokens.exchange(second.refreshToken, at: start + 3).pair)
        #expect(tokens.use(third.accessToken, at: start + 3).isGood)
        let again = tokens.exchange(first.refreshToken, at: start + 5)
        #expect(again.event == .replayed)
        #expect(again.pair == third)
        #expect(tokens.exchange(first.refreshToken, at: start + 6).event == .reused)
    }

    @Test func `strict accepts no spent token`() throws {
        var (tokens, first) = tokens(.strict)
        _ = tokens.exchange(first.refreshToken, at: start)
        #expect(tokens.exchange(first.refreshToken, at: start).event == .reused)
    }

    @Test func `an access token is valid until it expires, and an unknown one never`() {
        var (tokens, first) = tokens(.strict)
        #expect(tokens.use(first.accessToken, at: start + 3599).isGood)
        #expect(!tokens.use(first.accessToken, at: start + 3600).isGood)
        #expect(tokens.use("stranger", at: start) == (nil, false))
        #expect(tokens.exchange("stranger", at: start).event == .refused)
    }

    @Test func `the end of one family is not the end of another`() throws {
        var (tokens, first) = tokens(.strict)
        let other = try #require(tokens.signIn(at: start).pair)
        _ = tokens.exchange(first.refreshToken, at: start)
        _ = tokens.exchange(first.refreshToken, at: start)
        #expect(tokens.exchange(other.refreshToken, at: start).place == Place(family: 1, generation: 0))
    }

    @Test func `no pair is printed`() {
        let pair = TokenPair(accessToken: "secret", refreshToken: "secret", expiresAt: start)
        var dumped = ""
        dump(pair, to: &dumped)
        #expect(!"\(pair) \(dumped)".contains("secret"))
    }
}
