// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A fault that can be injected into one call.
public enum Fault: Hashable, Sendable {
    /// The call is served, and its answer is delayed.
    case slow(Duration)
    /// The call is neither served nor answered; the connection stays open.
    case hang
    /// The call is not served; the answer has this status.
    case status(Int)
    /// The call is not served; the answer is 429 with `Retry-After`, in seconds.
    case rateLimited(retryAfter: Int)
    /// The call is not served, and the connection ends without an answer.
    case dropped
    /// The call is served, and the connection ends without an answer.
    case answerLost

    /// The calls that a fault applies to.
    public enum Target: Hashable, Sendable, CaseIterable {
        case tokenEndpoint
        case revocationEndpoint
        case webAPI
    }

    /// Whether the call is not served.
    var keepsFromServing: Bool {
        switch self {
        case .slow, .answerLost: false
        case .hang, .status, .rateLimited, .dropped: true
        }
    }
}

extension Fault.Target {
    /// - Returns: `nil` for pages and for metadata.
    init?(path: String) {
        switch path {
        case "/api/token", "/proxy/token", "/proxy/refresh": self = .tokenEndpoint
        case "/api/revoke": self = .revocationEndpoint
        case "/authorize", "/device", "/api/device", "/api/introspect", "/.well-known/oauth-authorization-server":
            return nil
        default: self = .webAPI
        }
    }

    /// The answer with an error object of the service that the call was for.
    func refusal(_ status: Int, fields: [String: String] = [:]) throws -> Answer {
        let message = status == 429 ? "API rate limit exceeded" : "Server error."
        return switch self {
        case .webAPI: try .regularError(status, message, fields: fields)
        case .tokenEndpoint, .revocationEndpoint:
            try .authenticationError("server_error", message, status: status, fields: fields)
        }
    }
}
