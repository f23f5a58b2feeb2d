// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import StoreFixtures

/// A resource that introduces itself, and the authorization server that guards it, without a network.
struct RotatingOAuthServer: Sendable {
    static let resource = "https://notes.example/mcp"
    private static let issuer = "https://as.example"
    static let redirectURI = "http://127.0.0.1:1/callback"

    let tokens: RotatingServer
    private let registered = Lock(0)

    /// The number of clients that were registered.
    var registrations: Int { registered.withLock { $0 } }

    func answer(_ request: TokenRequest) -> TokenResponse {
        let form = Self.form(request)
        switch request.url.path {
        case "/.well-known/oauth-protected-resource/mcp":
            return .json(200, ["resource": Self.resource, "authorization_servers": [Self.issuer]])
        case "/.well-known/oauth-authorization-server":
            var members: [String: Any] = ["issuer": Self.issuer, "code_challenge_methods_supported": ["S256"]]
            for name in ["authorization", "token", "registration", "revocation"] {
                members["\(name)_endpoint"] = "\(Self.issuer)/\(name)"
            }
            return .json(200, members)
        case "/registration":
            let number = registered.withLock { count in
                count += 1
                return count
            }
            return .json(201, ["client_id": "client-\(number)", "token_endpoint_auth_method": "none"])
        case "/token":
            guard form["grant_type"] == "refresh_token" else { return token(tokens.signIn()) }
            guard let successor = try? tokens.refresh(form["refresh_token"] ?? "") else {
                return .json(400, ["error": "invalid_grant"])
            }
            return token(successor)
        case "/revocation":
            tokens.revoke(form["token"] ?? "")
            return .json(200, [:])
        default: return .json(404, [:])
        }
    }

    /// A server as it is known to a program that has read its metadata.
    static var known: AuthorizationServer {
        var server = AuthorizationServer(
            issuer: issuer, authorizationEndpoint: URL(string: "\(issuer)/authorization"),
            tokenEndpoint: URL(string: "\(issuer)/token"))
        server.registrationEndpoint = URL(string: "\(issuer)/registration")
        return server
    }

    private func token(_ token: TestToken) -> TokenResponse {
        .json(
            200,
            [
                "access_token": token.name, "refresh_token": token.name, "token_type": "Bearer",
                "expires_in": Int(RotatingServer.lifetime / .seconds(1)),
            ])
    }

    private static func form(_ request: TokenRequest) -> [String: String] {
        String(decoding: request.body, as: UTF8.self).split(separator: "&").reduce(into: [:]) { form, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            form[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
    }
}

/// The way of one process to the server.
struct MortalTransport: TokenTransport {
    let server: RotatingOAuthServer
    let fate: Fate

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        do {
            return try await fate.call(request.url.path) { server.answer(request) }
        } catch is Fate.NoAnswer {
            throw TokenTransportError(.unreachable, delivery: .mayHaveBeenProcessed)
        }
    }
}

/// A person who signs in at once.
struct QuickPerson: CallbackReceiver {
    let fate: Fate

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start(RotatingOAuthServer.redirectURI)
        return try await fate.call("person") {
            let callback = URL(string: "\(RotatingOAuthServer.redirectURI)?code=c&state=\(pending.state)")
            guard let callback else { throw SignInError(.expired) }
            return callback
        }
    }
}

extension TokenResponse {
    fileprivate static func json(_ status: Int, _ members: [String: Any]) -> TokenResponse {
        let body = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
        return TokenResponse(
            statusCode: status, fields: [(name: "Content-Type", value: "application/json")], body: Array(body))
    }
}
