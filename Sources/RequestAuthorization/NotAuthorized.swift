// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request cannot be authorized, and a retry is pointless until something changes.
///
/// The user may have to sign in, or the program, its configuration or the server may have to be changed.
///
/// Your own providers and services may throw it too. ``needsSignIn`` tells "show the log-in" from a programming error:
///
///     do { return try await URLSession.shared.data(for: request, authorizedBy: auth).0 }
///     catch let error as NotAuthorized where error.needsSignIn { return nil }
///
/// A transient failure (no network, a server's 503) is a ``RefreshFailed`` instead. The description contains no
/// credential, and does not print ``underlying``.
public struct NotAuthorized: Error, Sendable {
    /// Why there is no credential. Its description is a short label without secrets, for metrics.
    public struct Reason: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// No user has signed in yet.
        public static let noToken = Reason(label: "no token")
        /// The user signed out, in this process or in a sibling.
        public static let signedOut = Reason(label: "signed out")
        /// Another session has begun meanwhile, here or in a sibling. A request of the former one is not sent again in it.
        public static let sessionReplaced = Reason(label: "session replaced")
        /// The token endpoint ended the session, for instance with `invalid_grant`.
        public static let rejected = Reason(label: "rejected by the token endpoint")
        /// The token endpoint refuses the client, for instance with `invalid_client`. The session is kept.
        public static let clientRefused = Reason(label: "client refused by the token endpoint")
        /// Servers refused new tokens so often that refreshing is stopped for a while.
        public static let refreshedTooOften = Reason(label: "refreshed too often")
        /// A server requires what a refresh cannot give: a person, another scope, or a stronger log-in. The session
        /// is kept.
        public static let needsInteraction = Reason(label: "needs interaction")
        /// The provider holds a constant credential, and the server refused it.
        public static let notRefreshable = Reason(label: "not refreshable")
        /// The credential contains what must not be sent, or names one header field in two spellings.
        public static let malformedCredential = Reason(label: "malformed credential")
        /// The server refuses the proof that the sender has the token's key (RFC 9449). The token is kept.
        public static let proofRefused = Reason(label: "proof refused")
        /// The request would go over plain `http`.
        public static let insecureTransport = Reason(label: "insecure transport")
        /// The provider signs a part of the request that it cannot read: the body, the method or the target.
        public static let notSignable = Reason(label: "not signable")
        /// The credential is restricted to other origins than the request's.
        public static let originNotAllowed = Reason(label: "origin not allowed")
        /// The client would send the credential to another origin when it follows a redirect.
        public static let redirectsFollowed = Reason(label: "redirects followed")
        /// The token has expired, and this process must not refresh it. Open the app that may.
        public static let refreshedElsewhere = Reason(label: "refreshed elsewhere")
        /// The program has shut the provider down; see ``RefreshableTokenAuthorization/shutdown(within:)``.
        public static let shutDown = Reason(label: "shut down")
        /// A token service used its own provider to authorize the request that fetches the token.
        public static let reentrantRefresh = Reason(label: "re-entrant refresh")
    }

    /// Why there is no credential.
    public let reason: Reason

    /// A further sentence for people; never a secret.
    public let detail: String?

    /// The server's challenge, if any: the interaction that it requires, or its answer when the session was over.
    public let challenge: AuthenticationChallenge?

    /// The error of the token service. It may contain secrets of that service, so it is not printed here.
    public let underlying: (any Error)?

    /// Creates the error of a provider or a service of your own.
    ///
    /// - Parameters:
    ///   - reason: what callers compare.
    ///   - detail: a further sentence for people. It is printed, so it must not hold a secret.
    ///   - challenge: the server's challenge, if there is one.
    ///   - underlying: the error that caused this one. It is not printed.
    public init(
        _ reason: Reason, detail: String? = nil, challenge: AuthenticationChallenge? = nil,
        underlying: (any Error)? = nil
    ) {
        (self.reason, self.detail, self.challenge, self.underlying) = (reason, detail, challenge, underlying)
    }

    /// Whether signing in (again) would help.
    public var needsSignIn: Bool { [.noToken, .signedOut, .rejected, .needsInteraction].contains(reason) }

    /// Whether the request's session is over: ``Reason/rejected``, ``Reason/signedOut`` or ``Reason/sessionReplaced``.
    ///
    /// After a 401, `send` throws such an error, so all calls of the session end alike. Otherwise it returns the 401.
    public var isEndOfSession: Bool { [.rejected, .signedOut, .sessionReplaced].contains(reason) }
}

extension NotAuthorized {
    /// Returns a copy with the challenge of an answer if the session is over, unless there is a challenge already.
    @usableFromInline package func asked(by answer: some AuthorizableResponse) -> NotAuthorized {
        guard challenge == nil, isEndOfSession else { return self }
        let challenges = AuthenticationChallenge.parse(answer.headerValues(for: "WWW-Authenticate"))
        return NotAuthorized(
            reason, detail: detail, challenge: challenges.first { $0.error != nil } ?? challenges.first,
            underlying: underlying)
    }

    /// The error for a refusal of a credential that nobody replaces.
    static func pointless(after refusal: UnauthorizedResponse) -> NotAuthorized {
        if refusal.asksForProofOnly { return NotAuthorized(.proofRefused) }
        let challenges = refusal.challenges
        let asked = challenges.first { $0.requiresInteraction }
        let needsInteraction = asked != nil || refusal.statusCode == 403
        return NotAuthorized(
            needsInteraction ? .needsInteraction : .notRefreshable, challenge: asked ?? challenges.first)
    }
}

extension NotAuthorized: OwnDescription {
    @usableFromInline package var ownDescription: String {
        var text = "not authorized: \(reason)"
        if let challenge { text += isEndOfSession ? ", the server answered \(challenge)" : ", asked for \(challenge)" }
        if let detail { text += " (\(detail))" }
        return text + (advice.map { "; \($0)" } ?? "")
    }

    /// What to do, if ``detail`` does not say it.
    private var advice: String? {
        switch reason {
        case .noToken, .signedOut: "sign in"
        case .rejected: "sign in again"
        case .sessionReplaced: "send the request again if it is meant for the user who is signed in now"
        case .clientRefused where detail == nil:
            "check the client's id, secret, grant types and scopes, and how it is registered; the session is kept"
        case .needsInteraction: "sign in again with what the server requires"
        case .refreshedTooOften: "find out why the server refuses new tokens; a refresh is tried again after a while"
        case .notRefreshable: "check the credential, or use a RefreshableTokenAuthorization"
        case .malformedCredential where detail == nil: "check what was passed as the credential"
        case .proofRefused: "check that the server sees the same URL as the client, and whether it requires a nonce"
        case .insecureTransport where detail == nil: "use https"
        case .notSignable where detail == nil: "use a request that shows method, target and body"
        case .originNotAllowed where detail == nil:
            "if the origin may have the credential, add it where the provider is restricted"
        case .redirectsFollowed where detail == nil: "send it with a client that follows no redirects"
        case .refreshedElsewhere: "the token has expired; open the app, which may refresh it"
        case .shutDown: "send requests before the provider is shut down, or make another provider"
        case .reentrantRefresh: "fetch tokens with requests that this provider does not authorize"
        default: nil
        }
    }
}
