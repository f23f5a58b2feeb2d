// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An ordinary refresh that is under way.
struct Flight: Hashable {
    let id: RefreshID
    let cause: RefreshCause
    /// As uptime.
    let beganAt: Duration
    /// When those who wait for it are released.
    let deadline: Moment
    /// How long requests with a valid token wait for it; `nil` if they do not.
    let patience: Duration?
    var exchange: Exchange
    /// Requests with a valid token no longer wait for it. After the deadline no request does.
    private(set) var isOutOfPatience: Bool

    init(id: RefreshID, cause: RefreshCause, beganAt: Moment, policy: RefreshPolicy, _ exchange: Exchange) {
        (self.id, self.cause, self.beganAt, self.exchange) = (id, cause, beganAt.uptime, exchange)
        deadline = beganAt.advanced(by: policy.deadline)
        // At most half of what is left: at its expiry the token would be of no use.
        let half = exchange.held.map { Duration.saturated(seconds: $0.expiresAt.timeIntervalSince(beganAt.date) / 2) }
        patience = policy.aheadOfExpiry.patience.map { max(.zero, min($0, half ?? $0)) }
        // An expired token lets no request wait, and needs no timer.
        isOutOfPatience = patience == .zero
    }

    var step: Exchange.Step { exchange.step }
    var basis: TokenVersion? { exchange.basis }
    /// The deadline has passed.
    var isDraining: Bool { exchange.isOverdue }
    /// Whether requests without a token wait for it: after the deadline those that come then, for a short while.
    var isExpected: Bool { !isDraining || !isOutOfPatience }

    mutating func losePatience() { isOutOfPatience = true }
    mutating func passDeadline() {
        exchange.passDeadline()
        isOutOfPatience = true
    }
    /// Requests may wait until it has returned.
    mutating func awaitReturn() { isOutOfPatience = false }
}
