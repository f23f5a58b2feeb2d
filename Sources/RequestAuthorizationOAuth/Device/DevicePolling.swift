// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Decides when to poll the token endpoint again (RFC 8628 §3.5).
struct DevicePolling: Hashable, Sendable {
    /// The time between two polls; it never gets shorter.
    private(set) var interval: Duration
    /// The server's `Retry-After`, which counts for the next poll only.
    private var retryAfter = Duration.zero
    /// The uptime at which the codes expire.
    let deadline: Duration

    /// The result of a poll that gave no token and did not end the sign-in.
    enum Outcome: Hashable, Sendable {
        /// `authorization_pending`.
        case pending
        /// `slow_down`.
        case slowDown
        /// No answer, a temporary failure of the server, the page of a captive portal, or no proof of the client.
        case unanswered
    }

    init(interval: Duration, deadline: Duration) { (self.interval, self.deadline) = (interval, deadline) }

    /// The time before the next poll, unless the codes expire before.
    var pause: Duration { max(interval, retryAfter) }

    /// The time before the next poll; `nil` if the codes have expired.
    func pause(at uptime: Duration) -> Duration? { uptime < deadline ? min(pause, deadline - uptime) : nil }

    /// Changes the interval for all later polls, and notes `Retry-After` for the next one.
    ///
    /// - Parameter retryAfter: the server's `Retry-After`; at most 5 minutes count.
    mutating func react(to outcome: Outcome, retryAfter: Duration? = nil) {
        switch outcome {
        case .pending: break
        case .slowDown: interval += .seconds(5)
        case .unanswered: interval *= 2
        }
        self.retryAfter = min(retryAfter ?? .zero, .seconds(300))
    }

    /// Sorts an error of a poll.
    ///
    /// - Returns: `nil` if the error ends the sign-in: an OAuth error, or one that another poll cannot change.
    static func outcome(of error: any Error) -> Outcome? {
        switch error {
        case let error as TokenEndpointError:
            switch error.code {
            case "authorization_pending": .pending
            case "slow_down": .slowDown
            // Without a code it is not an OAuth error, whatever its status.
            case nil, "temporarily_unavailable": .unanswered
            // With these statuses a code is not final.
            default: [408, 429].contains(error.status) || error.status >= 500 ? .unanswered : nil
            }
        case let error as TokenTransportError:
            [.timedOut, .unreachable, .connectionLost, .responseTooLong, .unreadableHeader].contains(error.code)
                ? .unanswered : nil
        // The body is not a JSON object, for instance the page of a captive portal.
        case let error as InvalidTokenResponse: error.field == "body" ? .unanswered : nil
        case let error as WorkloadIdentityError: error.delivery == .notSent ? .unanswered : nil
        case is AuthorizationServerError, is InvalidTokenRequest, is IdentityTokenError: nil
        // Nothing was sent. The authenticator has proven the client when the sign-in began.
        case let error as any TokenServiceFailure: error.kind == .transient ? .unanswered : nil
        default: nil
        }
    }
}
