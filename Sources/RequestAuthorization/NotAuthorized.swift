// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request cannot be authorized, and trying again changes nothing until somebody does something.
///
/// Providers and services outside this package may throw it too. Ask ``needsSignIn`` to tell "show the log-in" from a
/// mistake in the program:
///
///     do { return try await URLSession.shared.data(for: request, authorizedBy: auth).0 }
///     catch let error as NotAuthorized where error.needsSignIn { return nil }
///
/// A passing failure (no network, a server's 503) is a ``RefreshFailed`` instead. No credential is part of its
/// description; ``underlying`` is whatever the token service threw and is not printed.
public struct NotAuthorized: Error, Sendable {
    /// Why there is no credential.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// Nobody has signed in yet.
        public static let noToken = Reason(description: "no token")
        /// The user, or a sibling process, signed out.
        public static let signedOut = Reason(description: "signed out")
        /// Another process has signed in meanwhile: a request of the former session is not sent in the new one.
        public static let sessionReplaced = Reason(description: "session replaced")
        /// The token endpoint ended the session, for instance with `invalid_grant`.
        public static let rejected = Reason(description: "rejected by the token endpoint")
        /// The token endpoint refuses the client, for instance with `invalid_client`; the session is kept.
        public static let clientRefused = Reason(description: "client refused by the token endpoint")
        /// Fresh tokens were refused so often that refreshing was stopped for a while.
        public static let refreshedTooOften = Reason(description: "refreshed too often")
        /// The server wants something that a refresh cannot give: another scope, a stronger log-in.
        public static let needsInteraction = Reason(description: "needs interaction")
        /// The provider holds a constant credential, and the server refused it.
        public static let notRefreshable = Reason(description: "not refreshable")
        /// The credential has a form that must not be sent.
        public static let malformedCredential = Reason(description: "malformed credential")
        /// The server refuses what proves that the sender has the key of the token (RFC 9449); the token is kept.
        public static let proofRefused = Reason(description: "proof refused")
        /// The request would go over plain `http`.
        public static let insecureTransport = Reason(description: "insecure transport")
        /// The provider signs something that the request does not show: its body, its method or its target.
        public static let notSignable = Reason(description: "not signable")
        /// The credential is bound to other origins than the request's.
        public static let originNotAllowed = Reason(description: "origin not allowed")
        /// The client would take the credential along when it follows a redirect to another origin.
        public static let redirectsFollowed = Reason(description: "redirects followed")
        /// The token has expired, and this process must not refresh it: the app that may has to be opened.
        public static let refreshedElsewhere = Reason(description: "refreshed elsewhere")
        /// The program has shut the provider down; see ``RefreshableTokenAuthorization/shutdown(within:)``.
        public static let shutDown = Reason(description: "shut down")
        /// A token service asked its own provider to authorize the very request that fetches the token.
        public static let reentrantRefresh = Reason(description: "re-entrant refresh")
    }

    /// Why there is no credential.
    public let reason: Reason

    /// One sentence more, for people; never a secret.
    public let detail: String?

    /// What the server asked for, if it said so: the interaction that it wants, or what it answered when the session was over.
    public let challenge: AuthenticationChallenge?

    /// What the token service threw. It may hold what that service put there, so it is not printed here.
    public let underlying: (any Error)?

    public init(
        _ reason: Reason, detail: String? = nil, challenge: AuthenticationChallenge? = nil,
        underlying: (any Error)? = nil
    ) {
        self.reason = reason
        self.detail = detail
        self.challenge = challenge
        self.underlying = underlying
    }

    /// Whether a person who signs in (again) would help.
    public var needsSignIn: Bool {
        [.noToken, .signedOut, .rejected, .needsInteraction].contains(reason)
    }

    /// Whether the session of the request is over: ``Reason/rejected``, ``Reason/signedOut`` or ``Reason/sessionReplaced``.
    ///
    /// After a 401, `send` throws such an error of a provider, and all calls of the session end alike. For any other reason it
    /// returns the 401.
    public var isEndOfSession: Bool { [.rejected, .signedOut, .sessionReplaced].contains(reason) }
}

extension NotAuthorized {
    /// The same with what a server answered, unless a challenge is there already.
    @usableFromInline package func asked(by refusal: UnauthorizedResponse) -> NotAuthorized {
        guard challenge == nil else { return self }
        let challenges = refusal.challenges
        return NotAuthorized(
            reason, detail: detail, challenge: challenges.first { $0.error != nil } ?? challenges.first,
            underlying: underlying)
    }
}

extension NotAuthorized: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        var text = "not authorized: \(reason)"
        if let challenge { text += isEndOfSession ? ", the server answered \(challenge)" : ", asked for \(challenge)" }
        if let detail { text += " (\(detail))" }
        return text + (advice.map { "; \($0)" } ?? "")
    }

    /// What to do, where ``detail`` does not say it.
    private var advice: String? {
        switch reason {
        case .noToken, .signedOut: "sign in"
        case .rejected: "sign in again"
        case .sessionReplaced: "send the request again if it is meant for whoever is signed in now"
        case .clientRefused:
            detail == nil
                ? "check the client's id, secret, grant types and scopes, and how it is registered; the session is kept"
                : nil
        case .needsInteraction: "sign in again, for what the server asks"
        case .refreshedTooOften:
            "find out why the server refuses tokens that are fresh; a refresh is tried again after a while"
        case .notRefreshable: "check the credential, or use a RefreshableTokenAuthorization"
        case .malformedCredential: detail == nil ? "check what was passed as the credential" : nil
        case .proofRefused: "check that the server sees the URL that the request has, and what it wants of a nonce"
        case .insecureTransport: detail == nil ? "use https" : nil
        case .notSignable: detail == nil ? "use a request that shows method, target and body" : nil
        case .originNotAllowed: "name the origin where the provider is restricted, if it may have the credential"
        case .redirectsFollowed: detail == nil ? "send it with a client that follows no redirects" : nil
        case .refreshedElsewhere: "the token has expired; open the app, which may refresh it"
        case .shutDown: "send requests before the provider is shut down, or make another provider"
        case .reentrantRefresh: "fetch tokens with requests that this provider does not authorize"
        default: nil
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["reason": reason.description]) }
}
