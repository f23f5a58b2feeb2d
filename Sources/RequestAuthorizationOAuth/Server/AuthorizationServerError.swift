// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The server's metadata is missing or unsafe for a request. No grant was sent.
///
/// The cause is in the program or in the server's metadata, so the session is kept.
public struct AuthorizationServerError: UnsentFailure, Hashable {
    /// What is wrong. Its description is a short label without secrets, for metrics.
    public struct Problem: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The endpoint is not known.
        package static let missingEndpoint = Problem(label: "missing endpoint")
        /// The value is not a URL with a scheme and a host.
        package static let notAURL = Problem(label: "not a URL")
        /// The endpoint would be called over plain `http`, and is not on loopback.
        package static let insecure = Problem(label: "insecure endpoint")
        /// The endpoint has a fragment (RFC 6749 §3.1, §3.2).
        package static let fragment = Problem(label: "endpoint with a fragment")
        /// No metadata were found at the issuer's well-known URLs.
        public static let noMetadata = Problem(label: "no metadata")
        /// The server could not answer discovery now, for instance with 503.
        public static let unavailable = Problem(label: "metadata unavailable")
        /// The metadata name another issuer than the requested one (RFC 8414 §3.3).
        public static let otherIssuer = Problem(label: "metadata of another issuer")
        /// The server lists its challenge methods, and `S256` is not among them (RFC 7636 §4.2). No sign-in began.
        ///
        /// ``ServerQuirks/requiresListedPKCE`` allows it.
        public static let noPKCE = Problem(label: "no PKCE with S256")
        /// The server does not have the feature, for instance a sign-in on another device.
        public static let unsupported = Problem(label: "unsupported by the server")
    }

    public let problem: Problem
    /// The name of the value in the metadata, for instance `token_endpoint`.
    package let member: String?
    /// What to do, in one sentence; never a secret.
    package let detail: String?
    public let retryAfter: Duration?

    package init(_ problem: Problem, member: String? = nil, detail: String? = nil, retryAfter: Duration? = nil) {
        (self.problem, self.member, self.detail, self.retryAfter) = (problem, member, detail, retryAfter)
    }
}

extension AuthorizationServerError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let subject = member.map { "\(problem): \($0)" } ?? problem.description
        return "the authorization server cannot be used: \(subject); \(detail ?? advice)"
    }

    private var advice: String {
        switch problem {
        case .missingEndpoint: "set this endpoint, or complete the server by discovery"
        case .notAURL: "write a URL with scheme and host"
        case .insecure: "use https; http is for 127.0.0.0/8, [::1] and localhost only"
        case .fragment: "remove the # and all after it"
        case .noMetadata: "check the issuer, or set the endpoints yourself"
        case .unavailable: "try again later"
        case .otherIssuer: "use the issuer exactly as the server spells it"
        case .noPKCE:
            "without it a stolen code is useful; if the server checks S256 all the same, set requiresListedPKCE to false"
        default: "see the server's documentation for what it supports"
        }
    }
}
