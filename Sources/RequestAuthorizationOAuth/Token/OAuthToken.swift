// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An access token, its refresh token, and their properties, as an authorization server gave them.
///
/// The lifetime counts from when the request was *sent*. All descriptions are redacted. ``idToken`` is not verified.
/// Who signed in is in ``identity``, if the sign-in asked for it.
public struct OAuthToken: AuthorizationToken, Sendable, Hashable {
    /// The access token, which is sent with requests; empty if an answer had only a valid refresh token.
    public var accessToken: String
    /// The refresh token; `nil` if the user must sign in again, or the client fetches tokens without a user.
    public var refreshToken: String?
    /// `Bearer` or `DPoP`, in the server's spelling.
    public var tokenType: String
    /// The scopes of the token; those of the request, if the server named none (RFC 6749 §3.3).
    ///
    /// If `offline_access` was requested and there is a refresh token, it is one of them, also if the server leaves it out.
    public var scopes: Set<String>
    /// How long the access token is valid; `nil` if the server did not say.
    public var lifetime: Duration?
    /// When the access token expires; `.distantFuture` if the server did not say.
    public var expiresAt: Date
    /// When the user signed in, or the client fetched its first token; kept over refreshes.
    public var authorizedAt: Date?
    /// When the refresh token expires if it is not used; `nil` if that is not known. A refresh may bring a later date.
    public var refreshTokenExpiresAt: Date?
    /// When the user's authorization ends, however often the token is refreshed; `nil` if that is not known.
    public var authorizationExpiresAt: Date?
    /// An OpenID Connect id token as it came, a hint for the server. **Not verified: never a proof of identity.**
    public var idToken: String?
    /// The members of the answer that have no property.
    public var additionalMembers: [String: JSONValue]
    /// The private key that the token is bound to; `nil` if it is not bound (RFC 9449). **A secret, like the tokens.**
    public var proofKey: ProofKey?
    /// The server that issued the token, which no other server gets; `nil` if that is not known.
    ///
    /// A provider notes it in each token that it gets, and then keeps it with the token.
    public var issuer: TokenIssuer?
    /// Who signed in; `nil` unless the sign-in asked for it with `identity: true`. Kept over refreshes.
    public internal(set) var identity: SignedInIdentity?

    public init(
        accessToken: String, refreshToken: String? = nil, tokenType: String = "Bearer", scopes: Set<String> = [],
        lifetime: Duration? = nil, expiresAt: Date = .distantFuture, authorizedAt: Date? = nil,
        refreshTokenExpiresAt: Date? = nil, idToken: String? = nil, additionalMembers: [String: JSONValue] = [:],
        proofKey: ProofKey? = nil, issuer: TokenIssuer? = nil, authorizationExpiresAt: Date? = nil
    ) {
        (self.accessToken, self.refreshToken, self.tokenType) = (accessToken, refreshToken, tokenType)
        (self.scopes, self.lifetime, self.expiresAt) = (scopes, lifetime, expiresAt)
        (self.authorizedAt, self.refreshTokenExpiresAt) = (authorizedAt, refreshTokenExpiresAt)
        (self.idToken, self.additionalMembers) = (idToken, additionalMembers)
        (self.proofKey, self.issuer, self.authorizationExpiresAt) = (proofKey, issuer, authorizationExpiresAt)
    }

    public var signInNeededBefore: Date? {
        [refreshTokenExpiresAt, authorizationExpiresAt].compactMap { $0 }.min()
    }

    /// When the refresh token expires, unless the authorization ends no later: then no refresh keeps the session alive.
    public var refreshNeededBefore: Date? {
        refreshTokenExpiresAt.flatMap { $0 < authorizationExpiresAt ?? .distantFuture ? $0 : nil }
    }

    public var isBoundToDevice: Bool { proofKey?.isBoundToDevice ?? false }

    /// The value of the `Authorization` field (RFC 6750 §2.1, RFC 9449 §7.1); empty without an access token.
    ///
    /// The token is never sent in a query or a form.
    public var authorizationHeaderValue: String {
        accessToken.isEmpty || isNoAccessToken ? "" : "\(isBound ? "DPoP" : "Bearer") \(accessToken)"
    }

    /// Whether requests with the token need a proof, so that the token alone is of no use (RFC 9449 §5).
    public var isBound: Bool { tokenType.lowercased() == "dpop" }

    /// The `token_type` of a token that is not an access token (RFC 8693 §2.2.1).
    static let noAccessToken = "N_A"

    /// Whether ``accessToken`` is a token of another kind, from an exchange.
    var isNoAccessToken: Bool { tokenType.uppercased() == Self.noAccessToken }
}

extension OAuthToken {
    /// Whether the token has all of these scopes. They are compared exactly (RFC 6749 §3.3).
    public func isAuthorized(for scopes: Set<String>) -> Bool { missingScopes(of: scopes).isEmpty }

    /// The scopes that the token does not have.
    ///
    /// A sign-in does not add scopes to earlier ones: to get these, sign in again with *all* scopes that you need.
    public func missingScopes(of scopes: Set<String>) -> Set<String> { scopes.subtracting(self.scopes) }
}

extension OAuthToken {
    /// A program that can prove itself anew needs no refresh token (RFC 7521 §4.1).
    var withoutRefreshToken: OAuthToken {
        var token = self
        (token.refreshToken, token.refreshTokenExpiresAt, token.authorizationExpiresAt) = (nil, nil, nil)
        return token
    }
}

// MARK: - Coding

extension OAuthToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken, refreshToken, tokenType, scopes, lifetime, expiresAt, authorizedAt, refreshTokenExpiresAt,
            authorizationExpiresAt, idToken, additionalMembers, proofKey, issuer, identity
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // A person may have edited it. A date of no calendar would end a program that makes a whole number of it.
        let expiresAt = try values.decodeIfPresent(Date.self, forKey: .expiresAt) ?? .distantFuture
        self.init(
            accessToken: try values.decode(String.self, forKey: .accessToken),
            refreshToken: try values.decodeIfPresent(String.self, forKey: .refreshToken),
            tokenType: try values.decodeIfPresent(String.self, forKey: .tokenType) ?? "Bearer",
            scopes: try values.decodeIfPresent(Set<String>.self, forKey: .scopes) ?? [],
            lifetime: try values.decodeIfPresent(Double.self, forKey: .lifetime).flatMap { Duration(wholeSeconds: $0) },
            expiresAt: min(max(.distantPast, expiresAt), .distantFuture),
            authorizedAt: try values.decodeIfPresent(Date.self, forKey: .authorizedAt),
            refreshTokenExpiresAt: try values.decodeIfPresent(Date.self, forKey: .refreshTokenExpiresAt),
            idToken: try values.decodeIfPresent(String.self, forKey: .idToken),
            additionalMembers: try values.decodeIfPresent([String: JSONValue].self, forKey: .additionalMembers) ?? [:],
            proofKey: try values.decodeIfPresent(ProofKey.self, forKey: .proofKey),
            // Earlier versions did not write it. It is known again with the next refresh.
            issuer: try values.decodeIfPresent(TokenIssuer.self, forKey: .issuer),
            authorizationExpiresAt: try values.decodeIfPresent(Date.self, forKey: .authorizationExpiresAt))
        identity = try values.decodeIfPresent(SignedInIdentity.self, forKey: .identity)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken, forKey: .accessToken)
        try values.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try values.encode(tokenType, forKey: .tokenType)
        try values.encode(scopes.sorted(), forKey: .scopes)
        try values.encodeIfPresent(lifetime.map(\.inSeconds), forKey: .lifetime)
        if expiresAt != .distantFuture { try values.encode(expiresAt, forKey: .expiresAt) }
        try values.encodeIfPresent(authorizedAt, forKey: .authorizedAt)
        try values.encodeIfPresent(refreshTokenExpiresAt, forKey: .refreshTokenExpiresAt)
        try values.encodeIfPresent(authorizationExpiresAt, forKey: .authorizationExpiresAt)
        try values.encodeIfPresent(idToken, forKey: .idToken)
        try values.encodeIfPresent(proofKey, forKey: .proofKey)
        try values.encodeIfPresent(issuer, forKey: .issuer)
        try values.encodeIfPresent(identity, forKey: .identity)
        if !additionalMembers.isEmpty { try values.encode(additionalMembers, forKey: .additionalMembers) }
    }
}

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether a user is signed in and has allowed all of these scopes.
    ///
    /// It reads the held or stored token, even if it has expired, and calls no server, so that it works offline. If the
    /// store cannot be read, or the stored token belongs to another server (``TokenOfOtherIssuer``), it returns `false`.
    public nonisolated func isAuthorized(for scopes: Set<String> = []) async -> Bool {
        await missingScopes(of: scopes)?.isEmpty ?? false
    }

    /// Who signed in at the service's server; `nil` if no user is, or the sign-in did not ask for it.
    public nonisolated func identity() async -> SignedInIdentity? { await ownToken()?.identity }

    /// The scopes that the user has not allowed; `nil` if no user is signed in at the service's server.
    ///
    /// A sign-in does not add scopes to earlier ones: to get these, sign in again with *all* scopes that you need.
    public nonisolated func missingScopes(of scopes: Set<String>) async -> Set<String>? {
        await ownToken()?.missingScopes(of: scopes)
    }

    // MARK: -

    /// The held or stored token; `nil` if it belongs to another server than the service's.
    private nonisolated func ownToken() async -> OAuthToken? {
        guard let token = try? await tokenAtHand() else { return nil }
        do {
            _ = try bareService.proof(for: token)
        } catch let error as NotAuthorized where error.underlying is TokenOfOtherIssuer {
            return nil
        } catch {}
        return token
    }
}
