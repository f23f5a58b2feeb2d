// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An authorization server answered with success, but the answer cannot be used.
///
/// The session is kept: a hotel network's page instead of the answer signs no user out. The server may have processed
/// the request, so the next try comes soon.
public struct InvalidTokenResponse: TokenServiceFailure, Hashable {
    /// What is wrong with the member of the answer.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// The member is missing or empty.
        public static let missing = Problem(description: "missing")
        /// The member has another type, or holds what is not allowed.
        public static let malformed = Problem(description: "malformed")
        /// The value is not supported by this library.
        public static let unsupported = Problem(description: "unsupported")
        /// The client proved its key, but the token is not bound to it (RFC 9449 §5). A thief could use such a token.
        public static let downgraded = Problem(description: "that of a token which is bound to no key")
        /// The body is not a JSON object: HTML, a truncated answer, or empty.
        public static let notJSON = Problem(description: "not a JSON object")
    }

    /// The HTTP status.
    public let status: Int
    /// The member of the answer, for instance `access_token`; `body` for the whole answer.
    public let field: String
    public let problem: Problem
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .mayHaveBeenProcessed }

    public init(status: Int = 200, field: String, problem: Problem) {
        (self.status, self.field, self.problem) = (status, field, problem)
    }
}

extension InvalidTokenResponse: CustomStringConvertible {
    public var description: String {
        "the authorization server answered \(status), and \(field) is \(problem); check that the address is that of its "
            + (problem == .notJSON
                ? "endpoint, and that no proxy or log-in page answers in its place" : "endpoint, or ask its operator")
    }
}

/// A token request is invalid because of the program's input. Nothing was sent, and the session is kept.
public struct InvalidTokenRequest: TokenServiceFailure, Hashable {
    /// The invalid parameter, for instance `resource`.
    public let parameter: String
    /// What is wrong with it and what to do, for people; never a secret.
    public let detail: String
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .notSent }

    public init(parameter: String, detail: String) {
        (self.parameter, self.detail) = (parameter, detail)
    }
}

extension InvalidTokenRequest: CustomStringConvertible {
    public var description: String { "nothing was sent: \(parameter) \(detail)" }
}
