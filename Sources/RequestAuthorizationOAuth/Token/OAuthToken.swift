// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// What an authorization server gave: an access token, how to renew it, and what it may do. It prints redacted everywhere.
///
/// The lifetime counts from when the request was *sent*. ``idToken`` is kept as it came: nothing here verifies its signature,
/// its audience or its nonce, so it never proves who somebody is. Ask the server's user information endpoint for that.
public struct OAuthToken: AuthorizationToken, Sendable, Hashable {
    /// Sent with requests; empty if an answer had none that may be sent, and a new refresh token.
    public var accessToken: String
    /// Renews the token; `nil` if somebody must sign in again, or if the client can fetch a new one by itself.
    public var refreshToken: String?
    /// `Bearer` or `DPoP`, in the letters that the server used.
    public var tokenType: String
    /// What the token may do; what was asked for, if the server did not say (RFC 6749 §3.3).
    public var scopes: Set<String>
    /// How long the access token lasts; `nil` if the server did not say.
    public var lifetime: Duration?
    /// From when on the access token is refused; `.distantFuture` if the server did not say.
    public var expiresAt: Date
    /// When somebody signed in, or the client asked for its first token; kept over refreshes.
    public var authorizedAt: Date?
    /// From when on somebody must sign in again, if that is known.
    public var refreshTokenExpiresAt: Date?
    /// An OpenID Connect id token as it came. **Not verified: never a proof of identity.**
    public var idToken: String?
    /// The members of the answer that have no place here.
    public var additionalMembers: [String: JSONValue]
    /// The private key that the token is bound to, if it is (RFC 9449). **A secret, as the tokens are.**
    public var proofKey: ProofKey?

    public init(
        accessToken: String, refreshToken: String? = nil, tokenType: String = "Bearer", scopes: Set<String> = [],
        lifetime: Duration? = nil, expiresAt: Date = .distantFuture, authorizedAt: Date? = nil,
        refreshTokenExpiresAt: Date? = nil, idToken: String? = nil, additionalMembers: [String: JSONValue] = [:],
        proofKey: ProofKey? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.tokenType = tokenType
        self.scopes = scopes
        self.lifetime = lifetime
        self.expiresAt = expiresAt
        self.authorizedAt = authorizedAt
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
        self.idToken = idToken
        self.additionalMembers = additionalMembers
        self.proofKey = proofKey
    }

    public var signInNeededBefore: Date? { refreshTokenExpiresAt }

    public var isBoundToDevice: Bool { proofKey?.isBoundToDevice ?? false }

    /// RFC 6750 §2.1, RFC 9449 §7.1: in the header, never in a query or a form. Empty, and not sent, if there is no access token.
    public var authorizationHeaderValue: String {
        accessToken.isEmpty || isNoAccessToken ? "" : "\(isBound ? "DPoP" : "Bearer") \(accessToken)"
    }

    /// Whether requests with the token need a proof: whoever has the token alone cannot use it (RFC 9449 §5).
    public var isBound: Bool { tokenType.lowercased() == "dpop" }

    /// The type of what is no access token (RFC 8693 §2.2.1).
    static let noAccessToken = "N_A"

    /// Whether ``accessToken`` is some other kind of token, which an exchange gave.
    var isNoAccessToken: Bool { tokenType.uppercased() == Self.noAccessToken }
}

extension OAuthToken {
    /// Whether the token may do all of this. Scopes are compared exactly (RFC 6749 §3.3).
    public func isAuthorized(for scopes: Set<String>) -> Bool { missingScopes(of: scopes).isEmpty }

    /// What of this the token may not do. Scopes are not additive: to get these, sign in again and ask for *all* of them.
    public func missingScopes(of scopes: Set<String>) -> Set<String> { scopes.subtracting(self.scopes) }
}

// MARK: - Coding

extension OAuthToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken, refreshToken, tokenType, scopes, lifetime, expiresAt, authorizedAt, refreshTokenExpiresAt,
            idToken
        case additionalMembers, proofKey
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
