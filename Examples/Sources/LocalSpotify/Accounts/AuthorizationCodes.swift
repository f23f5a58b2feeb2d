// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The codes that sign-ins ended with and that wait to be exchanged, each once, within ten minutes (RFC 6749 §4.1.2).
struct AuthorizationCodes: Sendable {
    /// What a code stands for, and what whoever exchanges it has to show.
    struct Claim: Hashable, Sendable {
        var grant = Grant()
        /// As it was named in the authorization request.
        var redirectURI: String?
        var codeChallenge: String?
    }

    /// What came of a code.
    enum Redemption: Hashable, Sendable {
        case good
        /// It was used before, and brought this family if any.
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

    /// What a code stands for, used or not.
    func claim(of code: String) -> Claim? { entries[code]?.claim }

    /// Uses a code up.
    mutating func redeem(_ code: String, at now: Date) -> Redemption {
        guard let entry = entries[code] else { return .bad }
        if entry.isUsed { return .replayed(family: entry.family) }
        entries[code]?.isUsed = true
        return now < entry.issuedAt + lifetime ? .good : .bad
    }

    /// Remembers what a code brought, to be revoked when it comes again.
    mutating func note(_ family: Int?, broughtBy code: String) { entries[code]?.family = family }
}
