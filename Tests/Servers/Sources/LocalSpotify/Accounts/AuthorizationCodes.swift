// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The authorization codes. Each can be exchanged once, within ten minutes (RFC 6749 §4.1.2).
struct AuthorizationCodes: Sendable {
    /// The grant of a code, and what its exchange must match.
    struct Claim: Hashable, Sendable {
        var grant = Grant()
        /// As in the authorization request.
        var redirectURI: String?
        var codeChallenge: String?
    }

    /// The result of redeeming a code.
    enum Redemption: Hashable, Sendable {
        case good
        /// The code was used before, for this family if it was accepted.
        case replayed(family: Int?)
        case bad
    }

    private struct Entry {
        let claim: Claim
        let issuedAt: Date
        var isUsed = false
        var family: Int?
    }

    private var entries: [String: Entry] = [:]
    private var secrets: SecretSource
    private let lifetime: TimeInterval = 600

    init(secrets: SecretSource = SecretSource()) { self.secrets = secrets }

    mutating func issue(_ claim: Claim = Claim(), at now: Date) -> String {
        let code = secrets.next()
        entries[code] = Entry(claim: claim, issuedAt: now)
        return code
    }

    /// Returns the claim of a code, used or not.
    func claim(of code: String) -> Claim? { entries[code]?.claim }

    /// Redeems a code, which makes it used.
    mutating func redeem(_ code: String, at now: Date) -> Redemption {
        guard let entry = entries[code] else { return .bad }
        if entry.isUsed { return .replayed(family: entry.family) }
        entries[code]?.isUsed = true
        return now < entry.issuedAt + lifetime ? .good : .bad
    }

    /// Stores the family that a code began, so that a replay of the code can end it.
    mutating func note(_ family: Int?, broughtBy code: String) { entries[code]?.family = family }
}
