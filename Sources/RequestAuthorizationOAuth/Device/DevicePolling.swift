// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// When to ask again whether the person has agreed (RFC 8628 §3.5).
struct DevicePolling: Hashable, Sendable {
    /// How long to wait between two questions; it never gets shorter.
    private(set) var interval: Duration
    /// For how long the server does not want to be asked now.
    private var retryAfter = Duration.zero
    /// The time, since some fixed moment, at which the codes end.
    let deadline: Duration

    /// What a question led to, when it led to no token and to no end.
    enum Outcome: Hashable, Sendable {
        /// `authorization_pending`.
        case pending
        /// `slow_down`.
        case slowDown
        /// No answer, or a server that has trouble; it may have said for how long.
        case unanswered(retryAfter: Duration?)
    }

    init(interval: Duration, deadline: Duration) { (self.interval, self.deadline) = (interval, deadline) }

    /// How long to wait before the next question, unless the codes end before.
    var pause: Duration { max(interval, retryAfter) }

    /// How long to wait before the next question; `nil` when there is none, because the codes have ended.
    func pause(at uptime: Duration) -> Duration? {
        uptime < deadline ? min(pause, deadline - uptime) : nil
    }

    /// Takes the next step: for this and all later questions, but `Retry-After` for this one alone and at most 5 minutes.
    mutating func react(to outcome: Outcome) {
        retryAfter = .zero
        switch outcome {
        case .pending: break
        case .slowDown: interval += .seconds(5)
        case .unanswered(let retryAfter):
            interval *= 2
            self.retryAfter = min(retryAfter ?? .zero, .seconds(300))
        }
    }

    /// What an error means.
    ///
    /// - Returns: `nil` if it is the end: any error that is not known to pass.
    static func outcome(of error: any Error) -> Outcome? {
        switch error {
        case let error as TokenEndpointError: outcome(of: error)
        case let error as TokenTransportError:
            [.timedOut, .unreachable, .connectionLost].contains(error.code) ? .unanswered(retryAfter: nil) : nil
        default: nil
        }
    }

    private static func outcome(of error: TokenEndpointError) -> Outcome? {
        switch error.code {
        case "authorization_pending": .pending
        case "slow_down": .slowDown
        case nil where [408, 429].contains(error.status) || error.status >= 500:
            .unanswered(retryAfter: error.retryAfter)
        default: nil
        }
    }
}
