// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The authorization server that issued a token, as far as it is known.
///
/// A token belongs to its issuer: it is kept with the token, and no other server gets the token
/// (``TokenOfOtherIssuer``). Tokens from a server name it by themselves. If you make a token from data of your own, say
/// where it came from:
///
///     let token = OAuthToken(accessToken: access, refreshToken: refresh, issuer: TokenIssuer(of: server))
public struct TokenIssuer: Sendable, Hashable, Codable {
    /// The server's ``AuthorizationServer/issuer``; `nil` if it was not known.
    package let name: String?
    /// The origin of the server's token endpoint, such as `https://id.example.com`; `nil` if it was not known.
    package let origin: String?

    /// The issuer of a server's tokens.
    public init(of server: AuthorizationServer) {
        name = server.issuer
        origin = (server.tokenEndpoint ?? server.refreshEndpoint).flatMap { Origin($0) }?.description
    }

    init(name: String?, origin: String?) { (self.name, self.origin) = (name, origin) }
}

extension TokenIssuer: OwnDescription {
    @usableFromInline package var ownDescription: String {
        TerminalText.clean(name ?? origin ?? "an unknown server", limit: 300)
    }
}

// MARK: - Comparing

extension TokenIssuer {
    /// Whether a server may get the tokens of this issuer: it is the same one, also under a new name.
    ///
    /// Names are compared if both are known, by code points (RFC 8414 §4); else the origins of the token endpoints. If
    /// neither can be compared, nothing speaks against the server.
    func isSame(as server: AuthorizationServer) -> Bool {
        if let known = name ?? origin,
            server.formerIssuers.contains(where: { AuthorizationServer.isSameIssuer($0, known) })
        {
            return true
        }
        let other = TokenIssuer(of: server)
        if let name, let otherName = other.name { return AuthorizationServer.isSameIssuer(name, otherName) }
        guard let origin, let otherOrigin = other.origin else { return true }
        return origin == otherOrigin
    }
}

extension AuthorizationServer {
    /// Throws if a token belongs to another server. A token that names no issuer belongs to any.
    func checkIssuer(of token: OAuthToken) throws(TokenOfOtherIssuer) {
        guard let issuer = token.issuer, !issuer.isSame(as: self) else { return }
        throw TokenOfOtherIssuer(issuer: issuer, expected: TokenIssuer(of: self))
    }

    /// The issuer of a token that this server has given for an old one. A name that is known only there stays.
    func issuer(replacing old: OAuthToken?) -> TokenIssuer {
        let now = TokenIssuer(of: self)
        return TokenIssuer(name: now.name ?? old?.issuer?.name, origin: now.origin ?? old?.issuer?.origin)
    }
}
