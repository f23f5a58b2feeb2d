// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Issues, rotates and revokes tokens, and detects tokens that are presented twice.
///
/// A family holds the tokens of one sign-in, numbered in generations from 0. A value without I/O; the caller passes the
/// time.
struct TokenFamilies: Sendable {
    let policy: TokenPolicy
    private var secrets: SecretSource
    var families: [Family] = []
    private var refreshTokens: [String: Place] = [:]
    private var accessTokens: [String: Place] = [:]

    init(policy: TokenPolicy, secrets: SecretSource = SecretSource()) {
        self.policy = policy
        self.secrets = secrets
    }

    /// The number of families that ended without a sign-out: by reuse or by ``revokeFamilies()``.
    var endedFamilies: Int { families.count { $0.end == .lost } }

    /// Begins a family; without a user it has no refresh token.
    mutating func signIn(_ grant: Grant = Grant(), at now: Date) -> TokenDecision {
        let place = Place(family: families.count, generation: 0)
        let refreshToken = grant.hasUser ? secrets.next() : nil
        families.append(Family(grant, newestRefreshToken: refreshToken, at: now))
        if let refreshToken { refreshTokens[refreshToken] = place }
        let tokens = issueAccessToken(of: place.family, refreshToken: refreshToken, at: now)
        return TokenDecision(outcome: .signedIn, family: place.family, tokens: tokens)
    }

    /// The grant of a refresh token, even if the token is no longer valid.
    func grant(of refreshToken: String) -> Grant? { refreshTokens[refreshToken].map { families[$0.family].grant } }

    /// Decides on a refresh token (RFC 6749 §6; RFC 9700 §4.14.2 for rotation and reuse).
    ///
    /// - Parameter scopes: those of the access token if fewer than were granted.
    mutating func refresh(
        with refreshToken: String, scopes: Set<String>? = nil, at now: Date
    ) -> TokenDecision {
        guard let place = refreshTokens[refreshToken] else { return TokenDecision(outcome: .unknownToken) }
        if hasExpired(place, at: now) {
            return TokenDecision(outcome: .sessionExpired, family: place.family, presented: place.generation)
        }
        var decision = TokenDecision(outcome: .refreshed, family: place.family, presented: place.generation)
        decision.repetition = repetition(of: place, at: now)
        if policy.rotation == .on || families[place.family].hasEnded {
            families[place.family].presented.insert(place.generation)
        }
        if families[place.family].hasEnded {
            decision.outcome = .familyEnded
        } else if policy.rotation == .off {
            decision.tokens = issueAccessToken(of: place.family, refreshToken: nil, scopes, at: now)
        } else if place.generation == families[place.family].refreshGeneration {
            decision.tokens = rotate(place.family, scopes, at: now)
        } else if isWithinGrace(place, at: now) {
            decision.outcome = .replayed
            let successor = families[place.family].newestRefreshToken
            decision.tokens = issueAccessToken(of: place.family, refreshToken: successor, scopes, at: now)
        } else {
            decision.outcome = .reuseDetected
            families[place.family].end = .lost
        }
        return decision
    }

    /// Notes that the answer to a token call was lost. The client may then repeat the call.
    mutating func noteLostAnswer(to decision: TokenDecision) {
        guard let family = decision.family, let presented = decision.presented else { return }
        families[family].lostAnswers.insert(presented)
    }

    /// The state of an access token.
    func standing(of accessToken: String, at now: Date) -> AccessTokenStanding {
        guard let place = accessTokens[accessToken] else { return .invalid }
        let access = families[place.family].access[place.generation]
        if families[place.family].hasEnded || access.isRevoked { return .invalid }
        return now < access.expiresAt ? .valid : .expired
    }

    /// The grant of a known access token.
    func grant(ofAccessToken accessToken: String) -> Grant? {
        accessTokens[accessToken].map { place in
            var grant = families[place.family].grant
            grant.scopes = families[place.family].access[place.generation].scopes
            return grant
        }
    }

    /// Whether the newest access token has more than a share of its life left and is not revoked.
    func newestAccessToken(hasLeft share: Double, at now: Date) -> Bool {
        families.last?.newestAccess(hasLeft: share, of: policy.accessTokenLifetime.seconds, at: now) ?? false
    }

    /// Revokes every access token now; the sign-ins stay.
    mutating func revokeAccessTokens() {
        for family in families.indices { families[family].revokeAccess() }
    }

    /// Ends every sign-in now.
    mutating func revokeFamilies() {
        for family in families.indices where !families[family].hasEnded { families[family].end = .lost }
    }

    /// Ends the sign-in of a code that was presented again (RFC 6749 §4.1.2).
    mutating func end(_ family: Int) {
        if !families[family].hasEnded { families[family].end = .lost }
    }

    // MARK: -

    struct Place: Hashable {
        let family: Int
        let generation: Int
        var isRefreshToken = false
    }

    /// The family and generation of a token of any kind.
    func place(of token: String) -> Place? {
        guard let place = refreshTokens[token] else { return accessTokens[token] }
        return Place(family: place.family, generation: place.generation, isRefreshToken: true)
    }

    /// A sign-in has a fixed lifetime, which refreshes do not extend.
    private func hasExpired(_ place: Place, at now: Date) -> Bool {
        guard let lifetime = policy.refreshTokenLifetime else { return false }
        return now >= families[place.family].began + lifetime.seconds
    }

    private mutating func rotate(_ family: Int, _ scopes: Set<String>?, at now: Date) -> IssuedTokens {
        let refreshToken = secrets.next()
        families[family].rotate(to: refreshToken, at: now)
        refreshTokens[refreshToken] = Place(family: family, generation: families[family].refreshGeneration)
        return issueAccessToken(of: family, refreshToken: refreshToken, scopes, at: now)
    }

    private mutating func issueAccessToken(
        of family: Int, refreshToken: String?, _ scopes: Set<String>? = nil, at now: Date
    ) -> IssuedTokens {
        let accessToken = secrets.next()
        let generation = families[family].access.count
        let access = Family.Access(
            issuedAt: now, expiresAt: now + policy.accessTokenLifetime.seconds,
            scopes: scopes ?? families[family].grant.scopes)
        families[family].access.append(access)
        accessTokens[accessToken] = Place(family: family, generation: generation)
        return IssuedTokens(
            accessToken: accessToken, refreshToken: refreshToken, generation: generation, scopes: access.scopes)
    }

    /// The grace covers only the last spent token, only until its successor is used, and only for a limited time.
    private func isWithinGrace(_ place: Place, at now: Date) -> Bool {
        let family = families[place.family]
        guard let rotatedAt = family.rotatedAt, policy.grace > .zero else { return false }
        return place.generation == family.refreshGeneration - 1 && now <= rotatedAt + policy.grace.seconds
    }

    /// Whether a presentation repeats an earlier one.
    ///
    /// Without rotation, a refresh is a repetition if the last access token is not revoked and has more than half of
    /// its life left. Then the client had no reason to replace it.
    private mutating func repetition(of place: Place, at now: Date) -> TokenDecision.Repetition {
        let answerWasLost = families[place.family].lostAnswers.remove(place.generation) != nil
        let family = families[place.family]
        let isRepeated =
            if policy.rotation == .on || family.hasEnded {
                family.presented.contains(place.generation)
            } else {
                family.newestAccess(hasLeft: 0.5, of: policy.accessTokenLifetime.seconds, at: now)
            }
        guard isRepeated else { return .none }
        return answerWasLost ? .afterLostAnswer : .duplicate
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
