// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A token in use, with what was worked out once when it was installed.
struct HeldToken<Token: AuthorizationToken>: Sendable {
    let token: Token
    /// Checked: it can be sent as it is.
    let header: String
    let version: TokenVersion
    let obtainedAt: Date
    /// From when on a background refresh is due.
    let refreshAt: Date
    /// A server refused it, or an answer that replaces it was lost: it is not used any more, only refreshed.
    var isRefused = false
    /// Why the header value must not be sent, if so; then the token is good for a refresh only.
    let problem: String?

    init(_ token: Token, version: TokenVersion, obtainedAt: Date, policy: RefreshPolicy, random: Double) {
        self.token = token
        self.version = version
        self.obtainedAt = obtainedAt
        header = token.authorizationHeaderValue
        do {
            try HeaderFieldValue.check(header)
            problem = nil
        } catch {
            problem = error.detail ?? error.description
            isRefused = true
        }
        let lifetime = max(0, token.expiresAt.timeIntervalSince(obtainedAt))
        let leeway = min(policy.leeway.maximum.seconds, lifetime * policy.leeway.fraction)
        refreshAt = token.expiresAt.addingTimeInterval(-leeway * (1 - policy.jitter * random))
    }

    /// The error for ``problem``.
    var fault: NotAuthorized? { problem.map { NotAuthorized(.malformedCredential, detail: $0) } }

    /// Whether requests may go out with it.
    func isUsable(at date: Date) -> Bool { !isRefused && !token.isExpired(at: date) }

    /// Whether a server that refuses it now refuses a token that has just been made.
    func isYoung(at date: Date, policy: RefreshPolicy.Storm) -> Bool {
        let lifetime = token.expiresAt.timeIntervalSince(obtainedAt)
        return date.timeIntervalSince(obtainedAt) <= lifetime * policy.youth
    }

    var stored: StoredToken<Token> { StoredToken(.token(token), version: version, obtainedAt: obtainedAt) }
}

extension HeldToken: Equatable where Token: Equatable {}
extension HeldToken: Hashable where Token: Hashable {}
