// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error answer of a token endpoint (RFC 6749 §5.2).
///
///     throw TokenEndpointError(status: 400, code: "invalid_grant")
///
/// Pass a code only if the body was a JSON object with a string `error`. Without a `kind:` of yours only a code can end
/// a session.
public struct TokenEndpointError: AnsweredFailure, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The `error` member of the answer, if it had one. It is a text of the server: compare it, and do not print it.
    ///
    /// The description contains it only if it is a word in lower case, and no text of the request.
    public let code: String?
    /// How long the server asked to wait; `nil` if it did not say.
    public let retryAfter: Duration?
    /// What the answer means for the session.
    public let kind: TokenFailureKind
    /// What the server was asked for. It does not count in comparisons.
    public var purpose: TokenRequestPurpose { uncompared.value.purpose }
    /// Whether there seems to be no such endpoint at the address: 404, 405 or 410 without an error code that says more.
    package var isEndpointMissing: Bool { kind == .transient && [404, 405, 410].contains(status) }
    /// The code as it may be printed.
    package var printableCode: String? { uncompared.value.printableCode }
    private let uncompared: Uncompared<(purpose: TokenRequestPurpose, printableCode: String?)>

    /// Creates an error, whose kind follows from status and code if it is not given.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - code: the `error` member of the answer, if it had one.
    ///   - retryAfter: how long the server asked to wait.
    ///   - kind: what the failure means, if that is known better than from status and code.
    ///   - purpose: what the server was asked for; the description then says what to do.
    public init(
        status: Int, code: String? = nil, retryAfter: Duration? = nil, kind: TokenFailureKind? = nil,
        purpose: TokenRequestPurpose = .token
    ) {
        self.init(status: status, code: code, retryAfter: retryAfter, kind: kind, purpose: purpose, sent: [])
    }

    /// - Parameter sent: the texts of the request, which are not printed even if they are the code.
    package init(
        status: Int, code: String?, retryAfter: Duration?, kind: TokenFailureKind?, purpose: TokenRequestPurpose,
        sent: [String]
    ) {
        (self.status, self.code, self.retryAfter) = (status, code, retryAfter)
        self.kind = kind ?? Self.usualKind(status: status, code: code)
        uncompared = Uncompared(
            value: (purpose: purpose, printableCode: ErrorCode.printable(code, sent: sent)))
    }

    private init(_ error: TokenEndpointError, kind: TokenFailureKind) {
        (status, code, retryAfter) = (error.status, error.code, error.retryAfter)
        (self.kind, uncompared) = (kind, error.uncompared)
    }

    /// The same answer with another meaning.
    package func sorted(as kind: TokenFailureKind) -> TokenEndpointError { TokenEndpointError(self, kind: kind) }

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

    /// The client is refused, with any token (RFC 6749 §5.2, RFC 8707 §2), in the codes of Google too.
    private static let clientCodes: Set = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
        "deleted_client", "disabled_client",
    ]

    /// A user must act (OpenID Connect Core 1.0 §3.1.2.6, RFC 9470 §3). Auth0 asks for a second factor so.
    private static let interactionCodes: Set = [
        "interaction_required", "login_required", "consent_required", "account_selection_required",
        "insufficient_user_authentication", "mfa_required",
    ]
}
