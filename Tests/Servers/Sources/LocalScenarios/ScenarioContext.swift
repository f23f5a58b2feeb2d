// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// What a client is given for a scenario. As JSON it has the names of the official suite where that has one.
public struct ScenarioContext: Codable, Sendable {
    /// The name of the scenario.
    public var name: String
    public var protocolVersion: WireVersion
    /// The URL of the MCP endpoint.
    public var serverURL: String
    /// The client that is registered by hand, of a service or of a workload.
    public var clientID: String?
    public var clientSecret: String?
    /// A key for ES256: PKCS #8 in PEM.
    public var privateKeyPEM: String?
    public var signingAlgorithm: String?
    /// A client id metadata document. Its redirect URIs are those of loopback, with any port and path.
    public var clientMetadataURL: String?
    /// The workload's assertion.
    public var validJWT: String?
    public var wrongAudienceJWT: String?
    public var expiredJWT: String?
    public var idpClientID: String?
    public var idpIDToken: String?
    public var idpIssuer: String?
    public var idpTokenEndpoint: String?
    /// The session from before, in ``Scenario/Variant/earlierSession``.
    public var session: EarlierSession?
    /// A GET of it ends the fault of the metadata, in ``Scenario/Variant/earlierSession``.
    public var healURL: String?

    enum CodingKeys: String, CodingKey {
        case name, session
        case protocolVersion = "protocol_version"
        case serverURL = "server_url"
        case clientID = "client_id"
        case clientSecret = "client_secret"
        case privateKeyPEM = "private_key_pem"
        case signingAlgorithm = "signing_algorithm"
        case clientMetadataURL = "client_metadata_url"
        case validJWT = "valid_jwt"
        case wrongAudienceJWT = "wrong_audience_jwt"
        case expiredJWT = "expired_jwt"
        case idpClientID = "idp_client_id"
        case idpIDToken = "idp_id_token"
        case idpIssuer = "idp_issuer"
        case idpTokenEndpoint = "idp_token_endpoint"
        case healURL = "heal_url"
    }
}

/// A session that the client has from before the scenario.
public struct EarlierSession: Codable, Sendable {
    /// The identifier of the resource that its tokens are for.
    public var resource: String
    public var issuer: String
    public var authorizationEndpoint: String
    public var tokenEndpoint: String
    public var registrationEndpoint: String
    /// A public client, which registered itself at the issuer.
    public var clientID: String
    public var redirectURI: String
    public var accessToken: String
    public var refreshToken: String
    public var scopes: [String]
    /// Seconds until the access token expires.
    public var expiresIn: Int
    /// Whether the issuer announces `iss` in its responses (RFC 9207).
    public var announcesIssuerParameter: Bool

    enum CodingKeys: String, CodingKey {
        case resource, issuer, scopes
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case registrationEndpoint = "registration_endpoint"
        case clientID = "client_id"
        case redirectURI = "redirect_uri"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case announcesIssuerParameter = "authorization_response_iss_parameter_supported"
    }
}
#endif
