// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A sign-in gave no token. An earlier session stays as it was.
///
///     do { try await auth.signIn { try await service.finish(callback: url) } }
///     catch let error as SignInError where error.accessWasDenied { … }
///     catch let error as SignInError where error.kind == .foreign { … }      // not meant for us; the sign-in waits on
///
/// A refusal by the token endpoint is a `TokenEndpointError` instead.
public struct SignInError: Error, Sendable, Hashable {
    /// What happened. Its description is a short label without secrets, for metrics.
    public struct Kind: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The callback belongs to no pending sign-in: another URI, or no valid `state`. It changes nothing.
        public static let foreign = Kind(label: "foreign callback")
        /// The user, or the server, denied access (`access_denied`).
        public static let denied = Kind(label: "denied")
        /// The server answered with another error; see ``SignInError/code``.
        public static let refused = Kind(label: "refused")
        /// The callback belongs to the sign-in, but has neither a code nor an error, or both. The sign-in has ended.
        public static let malformed = Kind(label: "malformed callback")
        /// The callback came from another server than the requested one (RFC 9207), which therefore knows the state.
        /// The sign-in has ended.
        public static let otherIssuer = Kind(label: "other issuer")
        /// The sign-in took longer than 10 minutes, or longer than the server allows.
        public static let expired = Kind(label: "expired")
        /// This sign-in was finished before, with or without a token.
        public static let alreadyUsed = Kind(label: "already used")
        /// The user closed the page.
        public static let cancelled = Kind(label: "cancelled")
        /// The page could not be shown: another page is shown, or the app is not in the foreground.
        public static let notShown = Kind(label: "page not shown")
        /// The redirect URI is missing, or codes must not be sent to it.
        public static let redirectURI = Kind(label: "redirect URI")
    }

    /// What happened.
    public let kind: Kind
    /// The server's `error` (RFC 6749 §4.1.2.1), including those of extensions (§8.5).
    ///
    /// It is a text of the server: compare it, and do not print it. The description contains it only if it is a word in
    /// lower case, and no text of the request.
    public let code: String?
    /// The server's `error_description`, without control characters, for your logs, not for users.
    ///
    /// The error's description does not contain it.
    public let serverDescription: String?
    /// What to do, in one sentence; never a secret.
    package let detail: String?

    /// The code as it may be printed.
    private let printableCode: String?

    public init(_ kind: Kind, code: String? = nil, serverDescription: String? = nil, detail: String? = nil) {
        self.init(kind, code: code, serverDescription: serverDescription, detail: detail, sent: [])
    }

    /// - Parameter sent: the texts of the request, which are not printed even if they are the code.
    init(_ kind: Kind, code: String?, serverDescription: String?, detail: String? = nil, sent: [String]) {
        (self.kind, self.code, self.serverDescription, self.detail) = (kind, code, serverDescription, detail)
        printableCode = ErrorCode.printable(code, sent: sent)
    }

    /// Whether the user denied access, which needs no error message.
    public var accessWasDenied: Bool { kind == .denied }
}

extension SignInError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        var text = "the sign-in gave no token: \(kind)"
        if let printableCode { text += " (\(printableCode))" }
        return "\(text); \(detail ?? advice)"
    }

    private var advice: String {
        switch kind {
        case .foreign: "ignore this callback; a pending sign-in still waits for its own"
        case .denied, .cancelled: "sign in again to allow access"
        // RFC 6749 §4.1.2.1. Keycloak says so of a page that was open for too long.
        case .refused where ["temporarily_unavailable", "server_error"].contains(code):
            "the server could not answer; sign in again"
        // OpenID Connect Core §3.1.2.6.
        case .refused
        where ["login_required", "interaction_required", "consent_required", "account_selection_required"]
            .contains(code):
            "the server must ask the user; sign in again, without prompt=none"
        // RFC 9470 §5.
        case .refused where code == "unmet_authentication_requirements":
            "no log-in meets the requested acr_values, max_age or claims; sign in with another factor, or request less"
        case .refused: "check the client, its scopes and its redirect URI at the server"
        case .otherIssuer: "sign in again, and check the server's issuer if it happens again"
        case .alreadyUsed: "sign in again, unless the first callback gave a token"
        default: "sign in again"
        }
    }
}
