// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Decides what every token is worth: issues, rotates, revokes, and sees what is presented twice.
///
/// A family is what one sign-in began. Its tokens are counted in generations from 0. A pure value: time comes in.
struct TokenFamilies: Sendable {
    let policy: TokenPolicy
    private var secrets: SecretSource
    private var families: [Family] = []
    private var refreshTokens: [String: Place] = [:]
    private var accessTokens: [String: Place] = [:]

    init(policy: TokenPolicy, secrets: SecretSource = SecretSource()) {
        self.policy = policy
        self.secrets = secrets
    }

    /// Families that ended although nobody signed out, by reuse or by ``revokeFamilies()``.
    var endedFamilies: Int { families.count { $0.hasEnded } }

    /// Begins a family.
    mutating func signIn(at now: Date) -> TokenDecision {
        let place = Place(family: families.count, generation: 0)
        let refreshToken = secrets.next()
        families.append(Family(newestRefreshToken: refreshToken))
        refreshTokens[refreshToken] = place
        let tokens = issueAccessToken(of: place.family, refreshToken: refreshToken, at: now)
        return TokenDecision(outcome: .signedIn, family: place.family, tokens: tokens)
    }

    /// Decides on a refresh token (RFC 6749 §6; RFC 9700 §4.14.2 for rotation and reuse).
    mutating func refresh(with refreshToken: String, at now: Date) -> TokenDecision {
        guard let place = refreshTokens[refreshToken] else { return TokenDecision(outcome: .unknownToken) }
        var decision = TokenDecision(outcome: .refreshed, family: place.family, presented: place.generation)
        decision.repetition = repetition(of: place, at: now)
        if policy.rotation == .on || families[place.family].hasEnded {
            families[place.family].presented.insert(place.generation)
        }
        if families[place.family].hasEnded {
            decision.outcome = .familyEnded
        } else if policy.rotation == .off {
            decision.tokens = issueAccessToken(of: place.family, refreshToken: nil, at: now)
        } else if place.generation == families[place.family].refreshGeneration {
            decision.tokens = rotate(place.family, at: now)
        } else if isWithinGrace(place, at: now) {
            decision.outcome = .replayed
            let successor = families[place.family].newestRefreshToken
            decision.tokens = issueAccessToken(of: place.family, refreshToken: successor, at: now)
        } else {
            decision.outcome = .reuseDetected
            families[place.family].hasEnded = true
        }
        return decision
    }

    /// Takes note that a token call was decided and its answer then lost: its repetition is the client's right.
    mutating func noteLostAnswer(to decision: TokenDecision) {
        guard let family = decision.family, let presented = decision.presented else { return }
        families[family].lostAnswers.insert(presented)
    }

    /// What an access token is worth.
    func standing(of accessToken: String, at now: Date) -> AccessTokenStanding {
        guard let place = accessTokens[accessToken] else { return .invalid }
        let access = families[place.family].access[place.generation]
        if families[place.family].hasEnded || access.isRevoked { return .invalid }
        return now < access.expiresAt ? .valid : .expired
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
        for family in families.indices { families[family].hasEnded = true }
    }

    // MARK: -

    private struct Place: Hashable {
        let family: Int
        let generation: Int
    }

    private mutating func rotate(_ family: Int, at now: Date) -> IssuedTokens {
        let refreshToken = secrets.next()
        families[family].rotate(to: refreshToken, at: now)
        refreshTokens[refreshToken] = Place(family: family, generation: families[family].refreshGeneration)
        return issueAccessToken(of: family, refreshToken: refreshToken, at: now)
    }

    private mutating func issueAccessToken(of family: Int, refreshToken: String?, at now: Date) -> IssuedTokens {
        let accessToken = secrets.next()
        let generation = families[family].access.count
        families[family].access.append(.init(expiresAt: now + policy.accessTokenLifetime.seconds))
        accessTokens[accessToken] = Place(family: family, generation: generation)
        return IssuedTokens(accessToken: accessToken, refreshToken: refreshToken, generation: generation)
    }

    /// Only the last spent token, only while its successor is unused, only for a while.
    private func isWithinGrace(_ place: Place, at now: Date) -> Bool {
        let family = families[place.family]
        guard let rotatedAt = family.rotatedAt, policy.grace > .zero else { return false }
        return place.generation == family.refreshGeneration - 1 && now <= rotatedAt + policy.grace.seconds
    }

    /// Whether a presentation repeats an earlier one.
    ///
    /// Where refresh tokens stay, a refresh repeats another one if the access token that the other brought has still more
    /// than half of its life before it and was not revoked: nobody can have had a reason to replace it.
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
