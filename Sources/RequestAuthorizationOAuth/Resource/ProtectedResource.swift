// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A resource and the authorization server that guards it (RFC 9728).
///
///     let found = try await ProtectedResource.discover("https://notes.example/mcp", transport: URLSession.shared)
///     let service = OAuthTokenService.clientCredentials(
///         server: try found.server(of: "https://id.example"), client: found.client(billing), transport: URLSession.shared)
///
/// It can be kept: its coding has all that a later start needs.
public struct ProtectedResource: Codable, Sendable, Hashable {
    /// The resource's own name, verbatim. Tokens are requested for it (RFC 8707).
    public let identifier: String
    /// The authorization server, with its metadata.
    public var server: AuthorizationServer
    /// The scopes that a client should request: those of the challenge, else ``scopesSupported``.
    public internal(set) var scopes: Set<String>
    /// The scopes that the resource lists; empty if it lists none.
    public let scopesSupported: Set<String>
    /// The members of the resource's metadata that have no property, unchanged.
    public let additionalMetadata: [String: JSONValue]

    /// Creates a value for a resource that does not introduce itself.
    public init(
        identifier: String, server: AuthorizationServer, scopesSupported: Set<String> = [],
        additionalMetadata: [String: JSONValue] = [:]
    ) {
        (self.identifier, self.server, self.scopes) = (identifier, server, scopesSupported)
        (self.scopesSupported, self.additionalMetadata) = (scopesSupported, additionalMetadata)
    }

    /// The scopes of the next sign-in: what was requested before, and what a challenge requires (RFC 6750 §3).
    ///
    /// `offline_access` is added if, and only if, the authorization server lists it. Request it with `prompt=consent`
    /// (OpenID Connect Core §11).
    ///
    /// - Parameters:
    ///   - challenge: the challenge of the refused request, if there is one.
    ///   - requested: the scopes of the last sign-in, and those that the program needs.
    public func scopes(after challenge: AuthenticationChallenge?, requested: Set<String> = []) -> Set<String> {
        let challenged = challenge?.scope ?? []
        var wanted = challenged.isEmpty && requested.isEmpty ? scopes : challenged
        let listsOffline = server.metadataTexts("scopes_supported")?.contains(Self.offlineAccess) == true
        if listsOffline { wanted.insert(Self.offlineAccess) } else { wanted.remove(Self.offlineAccess) }
        return wanted.union(requested)
    }

    static let offlineAccess = "offline_access"

    /// A client whose tokens are for this resource (RFC 8707 §2).
    public func client(_ client: OAuthClient) -> OAuthClient {
        var client = client
        if client.resources.isEmpty { client.resources = [identifier] }
        return client
    }

    /// The authorization server, if it is this one: a resource may name any server, and a secret is for its own only.
    ///
    /// - Throws: ``ProtectedResourceError`` with the problem ``ProtectedResourceError/Problem/otherServer``.
    public func server(of issuer: String) throws -> AuthorizationServer {
        guard let own = server.issuer, AuthorizationServer.isSameIssuer(own, issuer) else {
            throw ProtectedResourceError(
                .otherServer, member: "authorization_servers",
                detail: "the resource is not guarded by the expected issuer")
        }
        return server
    }
}
