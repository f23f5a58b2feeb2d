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
        /// No answer, a server that has trouble, or a page of something on the way.
        case unanswered
    }

    init(interval: Duration, deadline: Duration) { (self.interval, self.deadline) = (interval, deadline) }

    /// How long to wait before the next question, unless the codes end before.
    var pause: Duration { max(interval, retryAfter) }

    /// How long to wait before the next question; `nil` when there is none, because the codes have ended.
    func pause(at uptime: Duration) -> Duration? {
        uptime < deadline ? min(pause, deadline - uptime) : nil
    }

    /// Takes the next step: for this and all later questions, but `Retry-After` for the next one alone.
    ///
    /// - Parameter retryAfter: for how long the server does not want to be asked; at most 5 minutes count.
    mutating func react(to outcome: Outcome, retryAfter: Duration? = nil) {
        switch outcome {
        case .pending: break
        case .slowDown: interval += .seconds(5)
        case .unanswered: interval *= 2
        }
        self.retryAfter = min(retryAfter ?? .zero, .seconds(300))
    }

    /// What an error means.
    ///
    /// - Returns: `nil` if it is the end: an error of OAuth, or one that no later question changes.
    static func outcome(of error: any Error) -> Outcome? {
        switch error {
        case let error as TokenEndpointError: outcome(of: error)
        case let error as TokenTransportError:
            [.timedOut, .unreachable, .connectionLost, .responseTooLong].contains(error.code) ? .unanswered : nil
        // A page of a hotel's network, for instance; a JSON object is an answer of the server.
        case let error as InvalidTokenResponse: error.field == "body" ? .unanswered : nil
        default: nil
        }
    }

    private static func outcome(of error: TokenEndpointError) -> Outcome? {
        switch error.code {
        case "authorization_pending": .pending
        case "slow_down": .slowDown
        // Without a code it is no error of OAuth, whatever its status.
        case nil, "temporarily_unavailable": .unanswered
        // A server that has trouble gives no verdict.
        default: [408, 429].contains(error.status) || error.status >= 500 ? .unanswered : nil
        }
    }
}
