// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An authorization server answered with success and something that cannot be used.
///
/// The session goes on: a page of a hotel's network in place of the answer signs nobody out. The server may have processed the
/// request, so the next try comes soon.
public struct InvalidTokenResponse: TokenServiceFailure, Hashable {
    /// What is wrong with the field.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// It is not there, or empty.
        public static let missing = Problem(description: "missing")
        /// It is of another type, or holds what must not be there.
        public static let malformed = Problem(description: "malformed")
        /// It names something that this library does not know how to use.
        public static let unsupported = Problem(description: "unsupported")
        /// A key was shown, and the token is not bound to it (RFC 9449 §5): whoever steals it can use it.
        public static let downgraded = Problem(description: "that of a token which is bound to no key")
        /// The body is no JSON object: HTML, a part of an answer, nothing at all.
        public static let notJSON = Problem(description: "not a JSON object")
    }

    /// The HTTP status.
    public let status: Int
    /// The member of the answer, for instance `access_token`; `body` for the whole.
    public let field: String
    public let problem: Problem
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .mayHaveBeenProcessed }

    public init(status: Int = 200, field: String, problem: Problem) {
        self.status = status
        self.field = field
        self.problem = problem
    }
}

extension InvalidTokenResponse: CustomStringConvertible {
    public var description: String {
        "the authorization server answered \(status), and \(field) is \(problem); check that the address is that of its "
            + (problem == .notJSON
                ? "endpoint and that nothing on the way answers for it" : "endpoint, and tell its makers")
    }
}
