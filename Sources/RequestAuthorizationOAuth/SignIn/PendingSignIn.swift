// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A sign-in that waits for its callback: open its ``url``, and pass the callback to
/// ``OAuthTokenService/finish(callback:)``.
///
///     let pending = try await service.signIn(scopes: ["read"])
///     open(pending.url)
///     …
///     guard pending.accepts(url) else { return }       // another link of our scheme leaves it unharmed
///     let token = try await service.finish(callback: url)
///
/// It contains a secret: protect it like a token. It is valid for 10 minutes and can be finished once.
public struct PendingSignIn: Codable, Sendable, Hashable, RedactedDescription {
    /// How long a sign-in is valid.
    package static let lifetime: Duration = .seconds(600)

    /// The random text that binds the callback to this sign-in (RFC 6749 §10.12).
    public let state: String
    /// The verifier that proves, with the code, that this client began the sign-in (RFC 7636).
    package let codeVerifier: String
    /// Where the server sends the user back to, including the port of a listener.
    public let redirectURI: String
    package let clientID: String
    /// The server's issuer; `nil` if it is not known.
    public let issuer: String?
    /// Whether the server names itself in each callback, so that one without `iss` is refused (RFC 9207).
    package let announcesIssuer: Bool
    /// The URL at which the code will be exchanged.
    package let tokenEndpoint: URL?
    /// The requested scopes.
    public let scopes: Set<String>
    package let createdAt: Date
    /// The server's page, to be opened in a browser, never in a web view of the app (RFC 8252 §8.12).
    public let url: URL
    /// The time before which the page must be opened, if the server set one (RFC 9126 §2.2).
    ///
    /// Later the server no longer knows the request. Begin another sign-in then.
    public let openBefore: Date?
    /// The key that the token will be bound to; `nil` if it will not be bound (RFC 9449 §10).
    package let proofKey: ProofKey?
    /// What the ID token must say; `nil` if none is asked for.
    let identity: IdentityRequest?

    package init(
        state: String, codeVerifier: String, redirectURI: String, clientID: String, issuer: String?,
        announcesIssuer: Bool, tokenEndpoint: URL?, scopes: Set<String>, createdAt: Date, url: URL,
        openBefore: Date? = nil, proofKey: ProofKey? = nil, identity: IdentityRequest? = nil
    ) {
        (self.state, self.codeVerifier, self.redirectURI) = (state, codeVerifier, redirectURI)
        (self.clientID, self.issuer, self.announcesIssuer) = (clientID, issuer, announcesIssuer)
        (self.tokenEndpoint, self.scopes, self.createdAt) = (tokenEndpoint, scopes, createdAt)
        (self.url, self.openBefore, self.proofKey, self.identity) = (url, openBefore, proofKey, identity)
    }

    /// Whether the 10 minutes are over, or the clock was set back by more than 10 minutes.
    public func isExpired(at date: Date) -> Bool {
        abs(date.timeIntervalSince(createdAt)) >= Self.lifetime / .seconds(1)
    }
}

extension PendingSignIn {
    /// Whether a callback belongs to this sign-in: it has the redirect URI and the `state`.
    ///
    /// Any other callback is foreign and leaves the sign-in as it is. Whether the callback brings a code or an error is
    /// checked by ``OAuthTokenService/finish(callback:)``.
    public func accepts(_ callback: URL) -> Bool { parameters(of: callback) != nil }

    /// The parameters of a callback of this sign-in; `nil` for a foreign callback.
    func parameters(of callback: URL) -> FormPairs? {
        guard let uri = try? RedirectURI(redirectURI), let parameters = uri.parameters(of: callback.absoluteString),
            case .text(let state) = parameters["state"], ConstantTime.areEqual(state, self.state)
        else { return nil }
        return parameters
    }

    /// Reads the code of a callback, from its ``parameters(of:)``. Without `now`, an expired sign-in is accepted.
    func code(in parameters: FormPairs, at now: Date? = nil) throws -> String {
        if let now, isExpired(at: now) { throw SignInError(.expired) }
        // RFC 9207 §2.4: checked before all other parameters, also in error responses.
        try checkIssuer(of: parameters)
        switch (parameters["code"], parameters["error"]) {
        case (.text(let code), .absent): return code
        case (.absent, .text(let error)):
            throw SignInError(
                error == "access_denied" ? .denied : .refused, code: error,
                serverDescription: parameters["error_description"].text.map { TerminalText.clean($0) },
                sent: [state, codeVerifier, url.absoluteString, redirectURI])
        default: throw SignInError(.malformed)
        }
    }

    private func checkIssuer(of parameters: FormPairs) throws {
        switch parameters["iss"] {
        // If the server's issuer is not known, there is nothing to compare.
        case .text(let named) where issuer.map({ AuthorizationServer.isSameIssuer($0, named) }) ?? true: return
        case .absent where !announcesIssuer: return
        case .absent:
            // The sender is unknown, so nothing that it says is kept (RFC 9207 §2.4).
            throw SignInError(
                .otherIssuer,
                detail: "issuer missing: the server's callbacks must contain iss, and this one does not; sign in again")
        case .text, .unusable: throw SignInError(.otherIssuer)
        }
    }
}

/// Compares secrets.
package enum ConstantTime {
    /// Whether two texts are equal. The time does not depend on where they differ; their lengths are not secret.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }

    /// Whether two sequences of bytes are equal. All bytes are compared, even after a difference.
    package static func areEqual<Bytes: RandomAccessCollection<UInt8>>(_ left: Bytes, _ right: Bytes) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
