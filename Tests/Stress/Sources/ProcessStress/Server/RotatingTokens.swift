// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Issues and checks tokens. Each refresh token can be exchanged once.
///
/// A value without I/O; the caller passes the time.
struct RotatingTokens: Sendable {
    let mode: GraceMode
    /// The grace, in seconds.
    let grace: Double
    /// The lifetime of access tokens, in seconds.
    let lifetime: Double
    private var families: [Family] = []
    private var refreshTokens: [String: Place] = [:]
    private var accessTokens: [String: Place] = [:]

    init(mode: GraceMode, grace: Double, lifetime: Double) {
        self.mode = mode
        self.grace = grace
        self.lifetime = lifetime
    }

    /// The decision on a refresh token.
    struct Decision {
        let event: LogLine.Event
        /// The place of the presented token.
        let place: Place?
        /// The tokens that it brought.
        let pair: TokenPair?
    }

    /// Begins a family.
    mutating func signIn(at now: Date) -> Decision {
        let place = Place(family: families.count, generation: 0)
        let pair = issue(place, at: now)
        families.append(Family(newest: pair))
        return Decision(event: .signedIn, place: place, pair: pair)
    }

    /// Decides on a refresh token (RFC 6749 §6; RFC 9700 §4.14.2 for reuse).
    mutating func exchange(_ refreshToken: String, at now: Date) -> Decision {
        guard let place = refreshTokens[refreshToken] else {
            return Decision(event: .refused, place: nil, pair: nil)
        }
        let family = families[place.family]
        if family.isRevoked { return Decision(event: .refused, place: place, pair: nil) }
        if place.generation == family.generation {
            let pair = issue(place.next, at: now)
            families[place.family].rotate(to: pair, at: now)
            return Decision(event: .committed, place: place, pair: pair)
        }
        if isForgiven(place, at: now) { return Decision(event: .replayed, place: place, pair: family.newest) }
        families[place.family].isRevoked = true
        return Decision(event: .reused, place: place, pair: nil)
    }

    /// Checks an access token, and notes that it was used.
    ///
    /// - Returns: its place, and whether it is valid.
    mutating func use(_ accessToken: String, at now: Date) -> (place: Place?, isGood: Bool) {
        guard let place = accessTokens[accessToken] else { return (nil, false) }
        let family = families[place.family]
        if place.generation == family.generation { families[place.family].isNewestUsed = true }
        guard let expiry = family.expiries[place.generation] else { return (place, false) }
        return (place, !family.isRevoked && now < expiry)
    }

    /// The place of an access token, valid or not.
    func place(of accessToken: String) -> Place? { accessTokens[accessToken] }

    // MARK: -

    private struct Family {
        var newest: TokenPair
        var generation = 0
        var isNewestUsed = false
        var isRevoked = false
        /// When each refresh token was exchanged.
        var exchanges: [Int: Date] = [:]
        /// When each access token ends.
        var expiries: [Int: Date] = [:]

        init(newest: TokenPair) {
            self.newest = newest
            expiries[0] = newest.expiresAt
        }

        mutating func rotate(to pair: TokenPair, at now: Date) {
            exchanges[generation] = now
            generation += 1
            newest = pair
            expiries[generation] = pair.expiresAt
            isNewestUsed = false
        }
    }

    private func isForgiven(_ place: Place, at now: Date) -> Bool {
        let family = families[place.family]
        guard mode != .strict, let exchanged = family.exchanges[place.generation], now <= exchanged + grace else {
            return false
        }
        return mode == .replayAny || (place.next.generation == family.generation && !family.isNewestUsed)
    }

    private mutating func issue(_ place: Place, at now: Date) -> TokenPair {
        let pair = TokenPair(
            accessToken: TokenPair.marker + UUID().uuidString, refreshToken: TokenPair.marker + UUID().uuidString,
            expiresAt: now + lifetime)
        accessTokens[pair.accessToken] = place
        refreshTokens[pair.refreshToken] = place
        return pair
    }
}

/// The tokens that an exchange brings.
struct TokenPair: Hashable, Sendable {
    /// The prefix of every token. The tests search for it where no token may be.
    static let marker = "stress-secret-"

    let accessToken: String
    let refreshToken: String
    let expiresAt: Date
}

extension TokenPair: CustomStringConvertible, CustomReflectable {
    var description: String { "TokenPair([redacted])" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
