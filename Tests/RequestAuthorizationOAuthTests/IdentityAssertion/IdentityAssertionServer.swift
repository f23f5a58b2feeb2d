// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import TestServers

/// An identity provider, and an authorization server made of Authlib that accepts its assertions.
/// `Tests/Servers/identity_assertion_server.py` says what it does.
final class IdentityAssertionServer: Sendable {
    private let server: PythonServer

    init() async throws {
        server = try await PythonServer(script: "identity_assertion_server.py", python: FastMCP.python)
    }

    func end() { server.end() }

    /// The identity provider's issuer.
    var provider: String { server.base + "/idp" }
    /// The issuer of the resource's server.
    var issuer: String { server.base + "/as" }

    struct Counts: Decodable, Equatable {
        let exchanges: Int
        let tokens: Int
    }

    func counts() async throws -> Counts {
        try await JSONDecoder().decode(Counts.self, from: server.control("counts", "GET"))
    }

    /// Logs Alice in at the identity provider.
    func logIn() async throws -> OAuthToken {
        let login = try await JSONDecoder().decode([String: String].self, from: server.control("login"))
        return OAuthToken(accessToken: "", refreshToken: login["refresh_token"], idToken: login["id_token"])
    }

    func logOut() async throws { try await server.control("logout") }

    /// Changes the claims of the next assertion, or its type.
    func change(_ claims: [String: JSONValue]) async throws {
        try await server.control("assertion", "POST", JSONEncoder().encode(claims))
    }

    /// Changes the client's secret at the resource's server.
    func changeSecret(to secret: String) async throws { try await server.control("secret", "POST", Data(secret.utf8)) }
}
#endif
