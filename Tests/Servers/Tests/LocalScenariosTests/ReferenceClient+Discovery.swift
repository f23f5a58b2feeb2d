// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalScenarios

extension ReferenceClient {
    /// What a resource's metadata say.
    struct Found {
        var resource: String?
        var issuer: String
        var scopes: [String]
        /// Of a server of MCP 2025-03-26.
        var isOld: Bool
    }

    struct Server {
        var issuer: String
        var authorize: String
        var token: String
        var register: String?
        var announcesIssuer = false
        var takesDocuments = false
        var bindsTokens = false
        var methods = ["none"]
        var grants: [String] = []
    }

    func discover(_ reply: Reply) async throws -> Found {
        let origin = origin(context.serverURL)
        let root = origin + "/.well-known/oauth-protected-resource"
        var places = [root + "/mcp", root]
        if let named = reply.challenge("resource_metadata"), !makes(.ignoresPlaceInChallenge) { places = [named] }
        if makes(.readsRootFirst) { places.insert(root, at: 0) }
        for place in places {
            let reply = try await Wire.get(place)
            guard reply.status == 200, let resource = reply.text("resource"),
                let issuer = reply.list("authorization_servers")?.first
            else { continue }
            guard resource == context.serverURL || resource == origin || makes(.acceptsAnyResource) else {
                throw Failure("the metadata are those of another resource")
            }
            return Found(resource: resource, issuer: issuer, scopes: reply.list("scopes_supported") ?? [], isOld: false)
        }
        if makes(.takesNoOriginForIssuer) { throw Failure("there are no metadata") }
        return Found(resource: nil, issuer: origin, scopes: [], isOld: true)
    }

    func metadata(of found: Found) async throws -> Server {
        let origin = origin(found.issuer)
        let path = found.issuer.dropFirst(origin.count)
        let (oauth, openID) = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
        var places = [origin + oauth + path, origin + openID + path]
        if !path.isEmpty { places.append(found.issuer + openID) }
        if makes(.readsOAuthMetadataOnly) { places = [places[0]] }
        if makes(.readsServerRootFirst) { places.insert(origin + oauth, at: 0) }
        for place in places {
            let reply = try await Wire.get(place)
            guard reply.status == 200, let server = server(in: reply, of: found) else { continue }
            guard server.issuer == found.issuer || makes(.ignoresIssuerOfMetadata) else {
                throw Failure("the metadata are those of another issuer")
            }
            return server
        }
        guard found.isOld, !makes(.guessesNoEndpoints) else { throw Failure("the server has no metadata") }
        return Server(
            issuer: found.issuer, authorize: found.issuer + "/authorize", token: found.issuer + "/token",
            register: found.issuer + "/register")
    }

    private func server(in reply: Reply, of found: Found) -> Server? {
        guard let issuer = reply.text("issuer"), let authorize = reply.text("authorization_endpoint"),
            let token = reply.text("token_endpoint")
        else { return nil }
        var server = Server(issuer: issuer, authorize: authorize, token: token)
        server.register = reply.text("registration_endpoint")
        server.announcesIssuer = reply.object["authorization_response_iss_parameter_supported"] as? Bool ?? false
        server.takesDocuments = reply.object["client_id_metadata_document_supported"] as? Bool ?? false
        server.bindsTokens = reply.list("dpop_signing_alg_values_supported") != nil
        server.methods = reply.list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        server.grants = reply.list("grant_types_supported") ?? []
        return server
    }

    // MARK: Clients

    func client(at server: Server) async throws -> Client {
        if let client, client.issuer == server.issuer || makes(.keepsClient) { return client }
        let client =
            if let id = context.clientID, !makes(.alwaysRegisters) {
                Client(id: id, secret: context.clientSecret, method: server.methods[0], issuer: server.issuer)
            } else if let id = context.clientMetadataURL, server.takesDocuments, !makes(.alwaysRegisters) {
                Client(id: id, issuer: server.issuer)
            } else {
                try await register(at: server)
            }
        self.client = client
        return client
    }

    private func register(at server: Server) async throws -> Client {
        let uri = makes(.registersOtherPort) ? "http://127.0.0.1:1/callback" : redirectURI
        var members: [String: Any] = [
            "client_name": "Reference", "redirect_uris": [uri], "response_types": ["code"],
            "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": server.methods[0],
            "application_type": "native",
        ]
        if makes(.leavesOutRefreshGrant) { members["grant_types"] = ["authorization_code"] }
        if makes(.leavesOutApplicationType) { members["application_type"] = nil }
        let reply = try await Wire.post(server.register ?? server.issuer + "/register", json: members)
        guard reply.status == 201, let id = reply.text("client_id") else { throw Failure("registration failed") }
        return Client(
            id: id, secret: reply.text("client_secret"), method: reply.text("token_endpoint_auth_method") ?? "none",
            issuer: server.issuer)
    }
}
