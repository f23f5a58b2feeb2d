// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// The server's metadata is missing or unsafe for a request. No grant was sent.
///
/// It is a mistake of the program or of the server's metadata, so it signs nobody out.
public struct AuthorizationServerError: TokenServiceFailure, Hashable {
    /// What is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// The endpoint is not known.
        public static let missingEndpoint = Problem(description: "missing endpoint")
        /// It is no URL with a scheme and a host.
        public static let notAURL = Problem(description: "not a URL")
        /// It would be called over plain `http`, and not on this machine.
        public static let insecure = Problem(description: "insecure endpoint")
        /// It has a fragment (RFC 6749 §3.1, §3.2).
        public static let fragment = Problem(description: "endpoint with a fragment")
        /// No metadata were found where they may stand.
        public static let noMetadata = Problem(description: "no metadata")
        /// The server could not answer discovery now, for instance with 503.
        public static let unavailable = Problem(description: "metadata unavailable")
        /// Metadata are of another issuer than they were asked for (RFC 8414 §3.3).
        public static let otherIssuer = Problem(description: "metadata of another issuer")
        /// The server has no such thing, for instance a sign-in on another device.
        public static let unsupported = Problem(description: "unsupported by the server")
    }

    public let problem: Problem
    /// The name that the thing has in the metadata, for instance `token_endpoint`.
    public let member: String?
    /// One sentence more, for people; never a secret.
    public let detail: String?
    public let retryAfter: Duration?
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .notSent }

    public init(_ problem: Problem, member: String? = nil, detail: String? = nil, retryAfter: Duration? = nil) {
        self.problem = problem
        self.member = member
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// A server that cannot answer discovery now.
    init(unavailable response: TokenResponse, at now: Date) {
        self.init(
            .unavailable, member: "issuer", detail: "discovery was answered \(response.statusCode): try again later",
            retryAfter: RetryAfter.duration(in: response, at: now))
    }
}

extension AuthorizationServerError: CustomStringConvertible {
    public var description: String {
        let subject = member.map { "\(problem): \($0)" } ?? problem.description
        return "authorization server: \(subject); \(detail ?? advice)"
    }

    private var advice: String {
        switch problem {
        case .missingEndpoint: "name it, or complete the server by discovery"
        case .notAURL: "write it with scheme and host"
        case .insecure: "use https; http is for 127.0.0.0/8, [::1] and localhost only"
        case .fragment: "leave out what stands behind the #"
        case .noMetadata: "check the issuer, or write the endpoints down"
        case .unavailable: "try again later"
        case .otherIssuer: "use the issuer exactly as the server spells it"
        default: "look up what the server offers"
        }
    }
}
