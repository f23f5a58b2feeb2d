// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A sign-in that waits for its callback: open its ``url``, and hand the callback to ``OAuthTokenService/finish(callback:)``.
///
///     let pending = try await service.signIn(scopes: ["read"])
///     open(pending.url)
///     …
///     guard pending.accepts(url) else { return }       // another link of our scheme leaves it unharmed
///     let token = try await service.finish(callback: url)
///
/// It holds a secret: keep it as you keep a token. It is made anew for each sign-in, is valid for 10 minutes and serves once.
public struct PendingSignIn: Codable, Sendable, Hashable {
    /// How long a person has.
    public static let lifetime: Duration = .seconds(600)

    /// What ties the callback to this sign-in (RFC 6749 §10.12); nobody can guess it.
    public let state: String
    /// What proves that the one who asked exchanges the code (RFC 7636).
    public let codeVerifier: String
    /// Where the server was told to send the person back to, with the port that is listened on.
    public let redirectURI: String
    /// For whom the server was asked.
    public let clientID: String
    /// The server that was asked; `nil` if it has no name that is known.
    public let issuer: String?
    /// Whether the server names itself in each answer, so that one without `iss` is refused (RFC 9207).
    public let announcesIssuer: Bool
    /// Where the code will be exchanged.
    public let tokenEndpoint: URL?
    /// What was asked for.
    public let scopes: Set<String>
    public let createdAt: Date
    /// The server's page, to be opened in a browser: never in a web view of the app (RFC 8252 §8.12).
    public let url: URL

    /// By when the page must be opened, if the server said so (RFC 9126 §2.2): later it knows the request no more. For a person who
    /// comes later begin another sign-in.
    public let openBefore: Date?

    /// The key that the token will be bound to, if it will (RFC 9449 §10).
    public let proofKey: ProofKey?

    package init(
        state: String, codeVerifier: String, redirectURI: String, clientID: String, issuer: String?,
        announcesIssuer: Bool, tokenEndpoint: URL?, scopes: Set<String>, createdAt: Date, url: URL,
        openBefore: Date? = nil, proofKey: ProofKey? = nil
    ) {
        self.state = state
        self.codeVerifier = codeVerifier
        self.redirectURI = redirectURI
        self.clientID = clientID
        self.issuer = issuer
        self.announcesIssuer = announcesIssuer
        self.tokenEndpoint = tokenEndpoint
        self.scopes = scopes
        self.createdAt = createdAt
        self.url = url
        self.openBefore = openBefore
        self.proofKey = proofKey
    }

    /// Whether its 10 minutes are over, or a clock was set so far that nobody can tell.
    public func isExpired(at date: Date) -> Bool {
        abs(date.timeIntervalSince(createdAt)) >= Self.lifetime / .seconds(1)
    }
}

extension PendingSignIn: RedactedDescription {}
