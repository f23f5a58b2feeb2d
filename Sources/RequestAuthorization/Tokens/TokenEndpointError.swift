// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error answer of a token endpoint (RFC 6749 §5.2).
///
///     throw TokenEndpointError(status: 400, code: "invalid_grant")
///
/// Pass a code only if the body was a JSON object with a string `error`. Only a code can end a session.
public struct TokenEndpointError: TokenServiceFailure, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The `error` member of the answer, if it had one.
    public let code: String?
    public let retryAfter: Duration?
    public let kind: TokenFailureKind
    public var delivery: TokenRequestDelivery { .answered }

    /// Creates an error, whose kind follows from status and code if it is not given.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - code: the `error` member of the answer, if it had one.
    ///   - retryAfter: how long the server asked to wait.
    ///   - kind: what the failure means, if that is known better than from status and code.
    public init(status: Int, code: String? = nil, retryAfter: Duration? = nil, kind: TokenFailureKind? = nil) {
        (self.status, self.code, self.retryAfter) = (status, code, retryAfter)
        self.kind = kind ?? Self.usualKind(status: status, code: code)
    }

    /// Whether the status alone says that the failure is transient (RFC 6585 §4, RFC 9110 §15.6).
    package static func isPassing(status: Int) -> Bool { status == 429 || (500...599).contains(status) }
}

// MARK: - Sorting

extension TokenEndpointError {
    private static func usualKind(status: Int, code: String?) -> TokenFailureKind {
        guard let code, !isPassing(status: status) else { return .transient }
        if tokenCodes.contains(code) { return .terminal }
        if clientCodes.contains(code) { return .client }
        return interactionCodes.contains(code) ? .interaction : .transient
    }

    /// The refresh token is dead (RFC 6749 §5.2), in the codes of several servers.
    private static let tokenCodes: Set = [
        "invalid_grant", "invalid_token", "expired_token", "token_expired", "token_revoked", "invalid_refresh_token",
    ]

    /// The client is refused, with any token (RFC 6749 §5.2, RFC 8707 §2).
    private static let clientCodes: Set = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
    ]

    /// A user must act (OpenID Connect Core 1.0 §3.1.2.6).
    private static let interactionCodes: Set = [
        "interaction_required", "login_required", "consent_required", "account_selection_required",
    ]
}

// MARK: - Text

extension TokenEndpointError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(answer): \(meaning)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "kind": kind]) }

    /// The status and the code in words.
    var answer: String {
        "the token endpoint answered \(status)" + (code.map { " (\(Self.printable($0)))" } ?? "")
    }

    private var meaning: String {
        switch kind {
        case .terminal: "the grant or refresh token is no longer valid; sign in again"
        case .client: "\(clientMeaning); the session is kept"
        case .interaction: "the server wants the user to sign in again; the session is kept"
        case .noRefreshToken: "there is no refresh token; sign in again when the token has expired"
        case .transient: "the session is kept; try again later"
        }
    }

    private var clientMeaning: String {
        switch code {
        case "invalid_client": "the client id or secret is wrong"
        case "unauthorized_client": "the client is not registered for this grant type"
        case "unsupported_grant_type": "the server does not offer this grant type"
        case "invalid_scope": "the client asks for a scope that it may not have"
        case "invalid_target": "the client asks for a token for a resource that it may not use"
        default: "the server refuses the client; check how it is registered"
        }
    }

    /// The code if it looks like one: up to 64 ASCII letters, digits, `_`, `-` and `.`. Other text may be a secret.
    static func printable(_ code: String) -> String {
        let isCode =
            (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-.".utf8.contains($0) }
        return isCode ? code : "…"
    }
}
