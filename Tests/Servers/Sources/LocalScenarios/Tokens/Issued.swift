// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A client that an authorization server knows.
struct KnownClient: Sendable {
    enum RedirectURIs: Sendable {
        /// Compared whole, with their ports.
        case exactly([String])
        /// `http` on loopback with any port and path (RFC 8252 §7.3).
        case loopback
    }

    var id: String
    var secret: String?
    /// How it authenticates at the token endpoint.
    var method = "none"
    var redirectURIs = RedirectURIs.loopback
    var grants: [String] = [Grant.authorizationCode, Grant.refreshToken]
    var key: P256.Signing.PublicKey?
}

struct IssuedCode: Sendable {
    let client: String
    let redirectURI: String
    let challenge: String
    let scopes: Set<String>
    var isUsed = false
}

struct IssuedRefreshToken: Sendable {
    let client: String
    let family: String
    let scopes: Set<String>
    let thumbprint: String?
    var isUsed = false
}

struct IssuedAccessToken: Sendable {
    let role: Role
    let family: String
    let scopes: Set<String>
    /// Of the key that it is bound to.
    let thumbprint: String?
    var isFirstOfEarlierSession = false
    var isRefused = false
}

/// An authorization server and what it has issued.
struct ServerState: Sendable {
    let conduct: ServerConduct
    let base: String
    var clients: [String: KnownClient] = [:]
    var codes: [String: IssuedCode] = [:]
    var refreshTokens: [String: IssuedRefreshToken] = [:]
    /// The identifiers of the assertions that were used.
    var assertions: Set<String> = []

    var role: Role { conduct.role }
    var issuer: String { base + conduct.path }
    func endpoint(_ name: String) -> String { base + conduct.endpointPath + "/" + name }
}
#endif
