// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// How a resource behaves.
struct ResourceConduct: Sendable {
    enum Identifier: Sendable {
        /// The URL of the MCP endpoint.
        case own
        /// The origin of that URL, without a slash.
        case origin
        case other(String)
    }

    static let insertedPath = "/.well-known/oauth-protected-resource/mcp"
    static let rootPath = "/.well-known/oauth-protected-resource"

    /// Where the metadata are (RFC 9728), or `nil`.
    var metadataPath: String? = insertedPath
    var challengeNamesMetadata = true
    var trapsRootMetadata = false
    var identifier = Identifier.own
    var scopesSupported: [String]?
    /// The scopes in the challenge of a 401.
    var challengeScopes: [String] = []
    /// Whether the handshake needs no token.
    var hasOpenHandshake = false
    /// The scopes that the methods need. A token without them gets a 403.
    var scopesOfMethods: [String: Set<String>] = [:]
    /// Whether the metadata name the other authorization server after the first answered call.
    var moves = false
}

/// How an authorization server behaves.
struct ServerConduct: Sendable {
    enum IssuerParameter: Sendable { case missing, right, wrong, withSlash }

    static let rootPath = "/.well-known/oauth-authorization-server"
    static let openIDRootPath = "/.well-known/openid-configuration"
    static let evil = "https://evil.example.com"

    var role = Role.server
    /// The path of the issuer.
    var path = ""
    /// Where the metadata are (RFC 8414), or `nil`.
    var metadataPath: String? = rootPath
    var trapsRootMetadata = false
    /// The issuer in the metadata, if it is not the right one.
    var statedIssuer: String?
    /// Whose endpoints the metadata name.
    var endpointRole: Role?
    var endpointPath = ""
    var registers = true
    var takesDocuments = false
    var authenticationMethods = ["none"]
    var grants = [Grant.authorizationCode, Grant.refreshToken]
    var scopesSupported: [String]?
    var issuerParameter = IssuerParameter.missing
    var announcesIssuerParameter = false
}

/// How tokens are bound to a key (RFC 9449).
enum Proofs: Sendable {
    case none, plain
    /// Both servers want nonces of their own in the proofs.
    case withNonces
}

/// A client that did not introduce itself.
enum GivenClient: Sendable {
    /// With a secret, for the authorization code grant.
    case registeredByHand
    case service
    /// A service with a key.
    case serviceWithKey
    case workload
    /// Known to the authorization server and, under another name, to the identity provider.
    case enterprise
}

/// Why the client must not get in.
enum Fault: Sendable {
    /// The metadata of the resource or of its server are wrong.
    case metadata
    /// The authorization response is wrong.
    case response
    /// No token suffices.
    case scopes
}

enum Grant {
    static let authorizationCode = "authorization_code"
    static let refreshToken = "refresh_token"
    static let clientCredentials = "client_credentials"
    static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}
#endif
