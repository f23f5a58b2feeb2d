// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A sign-in did not give a token. What was signed in before stays as it was.
///
///     do { try await auth.signIn { try await service.finish(callback: url) } }
///     catch let error as SignInError where error.accessWasDenied { … }
///     catch let error as SignInError where error.kind == .foreign { … }      // not meant for us; the sign-in waits on
///
/// What the token endpoint refuses is a `TokenEndpointError` instead.
public struct SignInError: Error, Sendable, Hashable {
    /// What happened.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// The callback belongs to no sign-in that is under way: another address, or no valid `state`. It changes nothing.
        public static let foreign = Kind(description: "foreign callback")
        /// The person, or the server for him, said no (`access_denied`).
        public static let denied = Kind(description: "denied")
        /// The server answered with another error; see ``SignInError/code``.
        public static let refused = Kind(description: "refused")
        /// The callback is for us, and says no such thing as a code, or too much. The sign-in has ended.
        public static let malformed = Kind(description: "malformed callback")
        /// Another server than the one that was asked answered (RFC 9207), so somebody else knows the state. The sign-in has ended.
        public static let otherIssuer = Kind(description: "other issuer")
        /// It took longer than 10 minutes, or than the server allows.
        public static let expired = Kind(description: "expired")
        /// This sign-in was finished before, whether or not it gave a token.
        public static let alreadyUsed = Kind(description: "already used")
        /// The person closed the page.
        public static let cancelled = Kind(description: "cancelled")
        /// The page cannot be shown: another one is being shown, or the app is not in the foreground.
        public static let notShown = Kind(description: "page not shown")
        /// The redirect URI is missing, or is one that codes must not be sent to.
        public static let redirectURI = Kind(description: "redirect URI")
    }

    public let kind: Kind

    /// The `error` that the server sent (RFC 6749 §4.1.2.1), those of extensions included (§8.5). Not printed unless it is a
    /// plain word.
    public let code: String?

    /// The `error_description` that the server sent, without control characters; for logs of yours, not for people. Not printed.
    public let serverDescription: String?

    /// One sentence more, for people; never a secret.
    public let detail: String?

    public init(_ kind: Kind, code: String? = nil, serverDescription: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.code = code
        self.serverDescription = serverDescription
        self.detail = detail
    }

    /// Whether the person said no: nothing to complain about.
    public var accessWasDenied: Bool { kind == .denied }
}

extension SignInError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        var text = "sign-in: \(kind)"
        if let code, Self.isPrintable(code) { text += " (\(code))" }
        return "\(text); \(detail ?? advice)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.description]) }

    private var advice: String {
        switch kind {
        case .foreign: "ignore it, the sign-in goes on"
        case .denied, .cancelled: "sign in again to allow it"
        case .refused: "check the client, its scopes and its redirect URI at the server"
        case .otherIssuer: "sign in again, and check the server's issuer if that goes on"
        case .alreadyUsed: "sign in again, unless it gave a token then"
        default: "sign in again"
        }
    }

    /// Codes are words in lower case (RFC 6749 §11.4); anything else that a server may have put there is not shown.
    private static func isPrintable(_ code: String) -> Bool {
        code.utf8.count <= 64 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
