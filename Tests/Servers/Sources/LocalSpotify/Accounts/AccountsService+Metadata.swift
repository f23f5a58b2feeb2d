// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The metadata of the server (RFC 8414 §2).
extension AccountsService {
    /// `GET /.well-known/oauth-authorization-server`.
    ///
    /// - Parameter issuer: the base of all endpoint URLs.
    static func metadata(issuer: String) throws -> Answer {
        try .json(200, Metadata(issuer: issuer), fields: ["Cache-Control": "max-age=300"])
    }
}

private struct Metadata: Encodable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let revocationEndpoint: String
    let introspectionEndpoint: String
    let deviceAuthorizationEndpoint: String
    let scopesSupported = Scope.all.sorted()
    let responseTypesSupported = ["code"]
    let responseModesSupported = ["query"]
    let grantTypesSupported = GrantType.allCases.map(\.rawValue)
    let tokenEndpointAuthMethodsSupported = ["none", "client_secret_basic", "client_secret_post"]
    let revocationEndpointAuthMethodsSupported = ["none", "client_secret_basic", "client_secret_post"]
    let introspectionEndpointAuthMethodsSupported = ["client_secret_basic", "client_secret_post"]
    let codeChallengeMethodsSupported = ["S256"]
    /// RFC 9207 §3.
    let authorizationResponseIssParameterSupported = true

    init(issuer: String) {
        self.issuer = issuer
        authorizationEndpoint = issuer + "/authorize"
        tokenEndpoint = issuer + "/api/token"
        revocationEndpoint = issuer + "/api/revoke"
        introspectionEndpoint = issuer + "/api/introspect"
        deviceAuthorizationEndpoint = issuer + "/api/device"
    }
}
