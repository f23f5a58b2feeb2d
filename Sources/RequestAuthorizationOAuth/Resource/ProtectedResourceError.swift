// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A resource, or the server that guards it, cannot be used as its metadata say. It never ends a session.
///
///     catch let error as ProtectedResourceError where error.problem == .noMetadata { … }
public struct ProtectedResourceError: UnsentFailure, Hashable {
    /// What is wrong. Its description is a short label without secrets, for metrics.
    public struct Problem: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The resource does not say who guards it.
        public static let noMetadata = Problem(label: "no metadata")
        /// A server could not answer now.
        public static let unavailable = Problem(label: "metadata unavailable")
        /// A member of the metadata is missing, too long or malformed.
        public static let unusable = Problem(label: "unusable metadata")
        /// The metadata are those of another resource (RFC 9728 §3.3).
        public static let otherResource = Problem(label: "metadata of another resource")
        /// The metadata name another issuer than the resource does (RFC 8414 §3.3).
        public static let otherIssuer = Problem(label: "metadata of another issuer")
        /// The server does not say that it checks PKCE with S256.
        public static let noPKCE = Problem(label: "no PKCE with S256")
        /// The resource is guarded by another server than the one that a client or a session belongs to.
        public static let otherServer = Problem(label: "another authorization server")
        /// There is no way to introduce this program to the server.
        public static let noClient = Problem(label: "no client")
        /// The server refused to register the client (RFC 7591 §3.2.2); see ``ProtectedResourceError/code``.
        public static let registrationRefused = Problem(label: "registration refused")
        /// A URL of the metadata must not be called, such as one on a private network.
        public static let forbiddenAddress = Problem(label: "forbidden address")
        /// The URL of the client's document is not one (see ``ClientIdentity``).
        public static let invalidDocument = Problem(label: "invalid client document")
    }

    public let problem: Problem
    /// The name of the value in the metadata, for instance `authorization_servers`.
    package let member: String?
    /// What to do, in one sentence; never a secret.
    package let detail: String?
    /// The server's `error` (RFC 7591 §3.2.2). It is a text of the server: compare it, and do not print it.
    public let code: String?
    public let retryAfter: Duration?

    package init(
        _ problem: Problem, member: String? = nil, detail: String? = nil, code: String? = nil,
        retryAfter: Duration? = nil
    ) {
        (self.problem, self.member, self.detail) = (problem, member, detail)
        (self.code, self.retryAfter) = (code, retryAfter)
    }
}

extension ProtectedResourceError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        var text = "the resource cannot be used: \(problem)"
        if let member { text += ": \(member)" }
        if let code = ErrorCode.printable(code) { text += " (\(code))" }
        return "\(text); " + [detail, advice].compactMap { $0 }.joined(separator: "; ")
    }

    private var advice: String? {
        switch problem {
        case .noMetadata: "check the URL, or name resource and server yourself with known:"
        case .unavailable: "try again later; the session is kept"
        case .otherResource: "check the URL; nothing was sent to the servers that these metadata name"
        case .noPKCE:
            "without it a stolen code is useful; if you know that the server checks it, set requiresListedPKCE to false"
        case .otherServer: "pass a client that is registered there, if you trust that server"
        case .noClient: "pass a client that is registered there by hand, or the URL of a client id metadata document"
        case .registrationRefused: "correct what the server objects to, or register the client by hand"
        case .forbiddenAddress where detail == nil: "use a public https address"
        case .invalidDocument: "write an https URL with a path, without fragment, user name and dot segments"
        default: nil
        }
    }
}

extension ProtectedResourceError {
    /// Translates what a discovery threw.
    static func of(_ error: any Error) -> any Error {
        if (error as? TokenTransportError)?.code == .responseTooLong {
            return ProtectedResourceError(.unusable, member: "body", detail: "the answer has more than 64 KiB")
        }
        guard let error = error as? AuthorizationServerError else { return error }
        let problem: Problem =
            switch error.problem {
            case .unavailable: .unavailable
            case .otherIssuer: .otherIssuer
            case .noMetadata: .noMetadata
            case .insecure: .forbiddenAddress
            default: .unusable
            }
        return ProtectedResourceError(
            problem, member: error.member == "issuer" ? "authorization_servers" : error.member,
            detail: error.detail, retryAfter: error.retryAfter)
    }

    /// Throws if an answer says that the server cannot answer now.
    static func checkAvailability(_ response: TokenResponse, _ member: String, at now: Date) throws {
        guard [408, 429].contains(response.statusCode) || response.statusCode >= 500 else { return }
        throw ProtectedResourceError(
            .unavailable, member: member, detail: "the server answered \(response.statusCode)",
            retryAfter: RetryAfter.duration(in: response, at: now))
    }
}
