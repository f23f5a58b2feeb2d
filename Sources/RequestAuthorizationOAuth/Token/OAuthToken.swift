// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An access token, its refresh token, and their properties, as an authorization server gave them.
///
/// The lifetime counts from when the request was *sent*. All descriptions are redacted. ``idToken`` is not verified
/// (its signature, audience and nonce), so it never proves a user's identity. Use the user information endpoint for
/// that.
public struct OAuthToken: AuthorizationToken, Sendable, Hashable {
    /// The access token, which is sent with requests; empty if an answer had only a valid refresh token.
    public var accessToken: String
    /// The refresh token; `nil` if the user must sign in again, or the client fetches tokens without a user.
    public var refreshToken: String?
    /// `Bearer` or `DPoP`, in the server's spelling.
    public var tokenType: String
    /// The scopes of the token; those of the request, if the server named none (RFC 6749 §3.3).
    public var scopes: Set<String>
    /// How long the access token is valid; `nil` if the server did not say.
    public var lifetime: Duration?
    /// When the access token expires; `.distantFuture` if the server did not say.
    public var expiresAt: Date
    /// When the user signed in, or the client fetched its first token; kept over refreshes.
    public var authorizedAt: Date?
    /// When the user has to sign in again; `nil` if that is not known.
    public var refreshTokenExpiresAt: Date?
    /// An OpenID Connect id token as it came. **Not verified: never a proof of identity.**
    public var idToken: String?
    /// The members of the answer that have no property.
    public var additionalMembers: [String: JSONValue]
    /// The private key that the token is bound to; `nil` if it is not bound (RFC 9449). **A secret, like the tokens.**
    public var proofKey: ProofKey?

    public init(
        accessToken: String, refreshToken: String? = nil, tokenType: String = "Bearer", scopes: Set<String> = [],
        lifetime: Duration? = nil, expiresAt: Date = .distantFuture, authorizedAt: Date? = nil,
        refreshTokenExpiresAt: Date? = nil, idToken: String? = nil, additionalMembers: [String: JSONValue] = [:],
        proofKey: ProofKey? = nil
    ) {
        (self.accessToken, self.refreshToken, self.tokenType) = (accessToken, refreshToken, tokenType)
        (self.scopes, self.lifetime, self.expiresAt) = (scopes, lifetime, expiresAt)
        (self.authorizedAt, self.refreshTokenExpiresAt) = (authorizedAt, refreshTokenExpiresAt)
        (self.idToken, self.additionalMembers, self.proofKey) = (idToken, additionalMembers, proofKey)
    }

    public var signInNeededBefore: Date? { refreshTokenExpiresAt }
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

// MARK: - Coding

extension OAuthToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken, refreshToken, tokenType, scopes, lifetime, expiresAt, authorizedAt, refreshTokenExpiresAt,
            idToken, additionalMembers, proofKey
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            accessToken: try values.decode(String.self, forKey: .accessToken),
            refreshToken: try values.decodeIfPresent(String.self, forKey: .refreshToken),
            tokenType: try values.decodeIfPresent(String.self, forKey: .tokenType) ?? "Bearer",
            scopes: try values.decodeIfPresent(Set<String>.self, forKey: .scopes) ?? [],
            lifetime: try values.decodeIfPresent(Double.self, forKey: .lifetime).flatMap { Duration(wholeSeconds: $0) },
            expiresAt: try values.decodeIfPresent(Date.self, forKey: .expiresAt) ?? .distantFuture,
            authorizedAt: try values.decodeIfPresent(Date.self, forKey: .authorizedAt),
            refreshTokenExpiresAt: try values.decodeIfPresent(Date.self, forKey: .refreshTokenExpiresAt),
            idToken: try values.decodeIfPresent(String.self, forKey: .idToken),
            additionalMembers: try values.decodeIfPresent([String: JSONValue].self, forKey: .additionalMembers) ?? [:],
            proofKey: try values.decodeIfPresent(ProofKey.self, forKey: .proofKey))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken, forKey: .accessToken)
        try values.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try values.encode(tokenType, forKey: .tokenType)
        try values.encode(scopes.sorted(), forKey: .scopes)
        try values.encodeIfPresent(lifetime.map { $0 / .seconds(1) }, forKey: .lifetime)
        if expiresAt != .distantFuture { try values.encode(expiresAt, forKey: .expiresAt) }
        try values.encodeIfPresent(authorizedAt, forKey: .authorizedAt)
        try values.encodeIfPresent(refreshTokenExpiresAt, forKey: .refreshTokenExpiresAt)
        try values.encodeIfPresent(idToken, forKey: .idToken)
        try values.encodeIfPresent(proofKey, forKey: .proofKey)
        if !additionalMembers.isEmpty { try values.encode(additionalMembers, forKey: .additionalMembers) }
    }
}

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether a user is signed in and has allowed all of these scopes.
    ///
    /// It reads the held or stored token, even if it has expired, and calls no server, so that it works offline. If the
    /// store cannot be read, it returns `false`.
    public nonisolated func isAuthorized(for scopes: Set<String> = []) async -> Bool {
        await missingScopes(of: scopes)?.isEmpty ?? false
    }

    /// The scopes that the user has not allowed; `nil` if no user is signed in.
    ///
    /// A sign-in does not add scopes to earlier ones: to get these, sign in again with *all* scopes that you need.
    public nonisolated func missingScopes(of scopes: Set<String>) async -> Set<String>? {
        try? await tokenAtHand()?.missingScopes(of: scopes)
    }
}
