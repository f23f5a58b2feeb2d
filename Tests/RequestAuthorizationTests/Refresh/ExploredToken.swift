// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

/// A token of which only the name and the lifetime matter.
struct ExploredToken: AuthorizationToken, Hashable {
    static let lifetime: TimeInterval = 1_000

    let number: Int
    let expiresAt: Date
    var isMalformed = false

    var authorizationHeaderValue: String { isMalformed ? "Bearer \n" : "Bearer \(number)" }
}

extension HeldToken {
    var explored: ExploredToken { unsafeDowncast(self, to: TypedToken<ExploredToken>.self).token }

    var number: Int { explored.number }

    /// The same token, read from a store again.
    var copy: HeldToken {
        TypedToken(explored, version: version, obtainedAt: obtainedAt, policy: .explored, random: 1)
    }
}

extension StoredItem {
    init(_ held: HeldToken) { self.init(content: .token(held), version: held.version, obtainedAt: held.obtainedAt) }

    var copy: StoredItem {
        guard let token else { return self }
        return StoredItem(content: .token(token.copy), version: version, obtainedAt: obtainedAt)
    }
}

extension RefreshState {
    var isRefused: Bool { if case .held(_, .refused) = holding { true } else { false } }

    /// Whether the result of a refresh or of a manual refresh still counts.
    func isUnderWay(_ id: RefreshID) -> Bool { flight?.id == id || signIn?.id == id }

    /// Whether the refresh has not got its outcome yet.
    func isCalling(_ id: RefreshID) -> Bool { calling?.id == id }
}

extension StormGuard {
    /// Whether any of the counted refusals is within the window.
    func isActive(at uptime: Duration, policy: RefreshPolicy.Storm) -> Bool {
        times.last.map { $0 + policy.window > uptime } ?? false
    }
}

extension TokenSaveCondition {
    /// As the stores do: equal content is that of an earlier try, and is stored again.
    func allows(_ new: StoredItem, over stored: StoredItem?, absence: TokenAbsence) -> Bool {
        new == stored || allows(new.typed, over: stored?.typed, absence: absence)
    }
}

extension StoredItem {
    fileprivate var typed: StoredToken<ExploredToken> {
        let content: StoredToken<ExploredToken>.Content = token.map { .token($0.explored) } ?? .signedOut
        return StoredToken(content, version: version, obtainedAt: obtainedAt)
    }
}

struct ExploredFailure: TokenServiceFailure {
    var kind = TokenFailureKind.transient
    var retryAfter: Duration?
    var delivery = TokenRequestDelivery.answered
}

extension RefreshPolicy {
    /// All limits are small, and each time is different. With the chance of ExploredWorld/chance a slot is closed for
    /// 1.8 s, a slot after a loss for 0.02 s, the longest for 90 s.
    static var explored: RefreshPolicy {
        var policy = RefreshPolicy()
        policy.jitter = 0
        policy.backOff = BackOff(initial: .seconds(90), maximum: .seconds(90), maximumRetryAfter: .seconds(200))
        policy.storm = Storm(limit: 1, window: .seconds(30), youth: 0.1)
        return policy
    }

    /// The same for a program that ends.
    static var exploredTool: RefreshPolicy {
        var policy = explored
        policy.aheadOfExpiry = .inForeground(atMost: .seconds(5))
        return policy
    }
}
