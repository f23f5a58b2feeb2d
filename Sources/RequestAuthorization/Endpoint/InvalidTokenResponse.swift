// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An authorization server answered with success, but the answer cannot be used.
///
/// The session is kept: a hotel network's page instead of the answer signs no user out. The server may have processed
/// the request, so the next try comes soon.
public struct InvalidTokenResponse: TransientFailure, Hashable {
    /// What is wrong with the member of the answer. Its description is a short label without secrets, for metrics.
    public struct Problem: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The member is missing or empty.
        public static let missing = Problem(label: "missing")
        /// The member has another type, or holds what is not allowed.
        public static let malformed = Problem(label: "malformed")
        /// The value is not supported by this library.
        public static let unsupported = Problem(label: "unsupported")
        /// The client proved its key, but the token is not bound to it (RFC 9449 §5). A thief could use such a token.
        public static let downgraded = Problem(label: "that of a token which is bound to no key")
        /// The body is not a JSON object: HTML, a truncated answer, or empty.
        package static let notJSON = Problem(label: "not a JSON object")
        /// The body is a form, such as `access_token=a&token_type=bearer`, and not a JSON object (RFC 6749 §5.1).
        package static let formEncoded = Problem(label: "form-encoded, not a JSON object")
        /// The member is there more than once, with different values.
        package static let repeated = Problem(label: "there more than once, with different values")
        /// The member is a `Date`, and the ``JSONTokenEndpoint`` was made without `dates:`.
        package static let noDateFormat = Problem(label: "a Date, whose format is not known")
    }

    /// The HTTP status.
    public let status: Int
    /// The member of the answer, for instance `access_token`; `body` for the whole answer.
    public let field: String
    /// What is wrong with that member.
    public let problem: Problem
    /// What the server was asked for. It does not count in comparisons.
    public var purpose: TokenRequestPurpose { uncompared.value }
    private let uncompared: Uncompared<TokenRequestPurpose>

    /// Creates the error of a service of your own.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - field: the member of the answer, `body` for the whole answer; never its value.
    ///   - problem: what is wrong with it.
    ///   - purpose: what the server was asked for.
    public init(status: Int = 200, field: String, problem: Problem, purpose: TokenRequestPurpose = .token) {
        (self.status, self.field, self.problem) = (status, field, problem)
        uncompared = Uncompared(value: purpose)
    }

    /// The error for a body that is no JSON object.
    package init(bodyOf response: TokenResponse, purpose: TokenRequestPurpose = .token) {
        let problem: Problem =
            if Self.isForm(response.body) { .formEncoded } else {
                JSONNesting.isReadable(response.body) ? .notJSON : .malformed
            }
        self.init(status: response.statusCode, field: "body", problem: problem, purpose: purpose)
    }

    /// Whether a body begins with a name and an equals sign, and holds no blanks, as forms do.
    private static func isForm(_ body: [UInt8]) -> Bool {
        let name = body.prefix { $0.isASCIILetterOrDigit || [UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0) }
        let rest = body.dropFirst(name.count)
        return !name.isEmpty && rest.first == UInt8(ascii: "=")
            && (rest.firstIndex { $0.isJSONBlank }.map { rest[$0...].allSatisfy(\.isJSONBlank) } ?? true)
    }
}

extension InvalidTokenResponse: OwnDescription {
    @usableFromInline package var ownDescription: String {
        "\(purpose.endpoint) answered \(status), and \(name) is \(problem); \(advice)"
    }

    /// The field, unless a server may have chosen its name: in a dictionary it could be anything.
    private var name: String {
        let isName = field.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            let rest = part.filter { $0 != "_" && $0 != "-" }
            return (1...32).contains(part.utf8.count) && rest.utf8.allSatisfy(\.isASCIILetterOrDigit)
        }
        return isName ? field : "a member of its answer"
    }

    private var advice: String {
        switch problem {
        case .noDateFormat: "pass dates: .seconds, .milliseconds or .iso8601 to the JSONTokenEndpoint"
        case .formEncoded: "check that the server speaks OAuth 2 at this address, or ask its operator for JSON answers"
        case .notJSON:
            "check that the address is that of this endpoint, and that no proxy or log-in page answers in its place"
        default: "check that the address is that of this endpoint, or ask its operator"
        }
    }
}

/// A token request is invalid because of the program's input. Nothing was sent, and the session is kept.
public struct InvalidTokenRequest: UnsentFailure, Hashable {
    /// The invalid parameter, for instance `resource`.
    package let parameter: String
    /// What is wrong with it and what to do, for people; never a secret.
    package let detail: String

    package init(parameter: String, detail: String) {
        (self.parameter, self.detail) = (parameter, detail)
    }
}

extension InvalidTokenRequest: OwnDescription {
    @usableFromInline package var ownDescription: String { "nothing was sent: \(parameter) \(detail)" }
}
