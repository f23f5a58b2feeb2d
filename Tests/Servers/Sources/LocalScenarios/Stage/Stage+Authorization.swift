// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

extension Stage {
    /// The person consents at once (RFC 6749 §4.1.1).
    func authorizationAnswer(_ call: Call, _ index: Int) -> Answer {
        let query = call.query
        record.events.append(
            .init(
                kind: .authorization, role: servers[index].role, client: query["client_id"], scopes: query.scopes))
        if record.scopesAskedFor.count > 3 {
            violate("authorization-limit", "there were more than three authorization requests")
        }
        guard let id = query["client_id"], let client = client(id, at: index) else {
            noticeForeignClient(query["client_id"], at: index)
            return .page(400, "this client is unknown")
        }
        guard let uri = query["redirect_uri"], accepts(uri, of: client) else {
            violate("redirect-uri", "the redirect URI is not one that the client is registered with, port included")
            return .page(400, "this redirect URI is not registered")
        }
        guard call.method == "GET", query["response_type"] == "code", query.repeated.isEmpty else {
            return respond(to: query, uri, ["error": "invalid_request"], index)
        }
        guard query["code_challenge_method"] == "S256", let challenge = query["code_challenge"],
            challenge.utf8.count == 43, Data(base64URL: challenge)?.count == 32
        else {
            violate("pkce-s256", "an authorization request has no challenge with S256")
            return respond(to: query, uri, ["error": "invalid_request"], index)
        }
        guard checkResource(of: query, in: "an authorization request") else {
            return respond(to: query, uri, ["error": "invalid_target"], index)
        }
        let code = "code-" + Material.random()
        servers[index].codes[code] = IssuedCode(
            client: id, redirectURI: uri, challenge: challenge, scopes: query.scopes)
        return respond(to: query, uri, ["code": code], index)
    }

    private func respond(to query: Parameters, _ uri: String, _ members: [String: String], _ index: Int) -> Answer {
        var members = members
        members["state"] = query["state"]
        members["iss"] =
            switch servers[index].conduct.issuerParameter {
            case .missing: nil
            case .right: servers[index].issuer
            case .wrong: ServerConduct.evil
            case .withSlash: servers[index].issuer + "/"
            }
        var components = URLComponents(string: uri)
        let stated = components?.queryItems ?? []
        let added = members.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
        components?.queryItems = stated + added
        return Answer(status: 302, fields: ["Location": components?.string ?? uri])
    }

    // MARK: Clients

    func client(_ id: String, at index: Int) -> KnownClient? {
        if let client = servers[index].clients[id] { return client }
        guard servers[index].conduct.takesDocuments, id == Material.documentURL else { return nil }
        return KnownClient(id: id)
    }

    func noticeForeignClient(_ id: String?, at index: Int) {
        let isForeign = servers.indices.contains { other in
            other != index && id.map { servers[other].clients[$0] != nil } == true
        }
        if isForeign {
            violate("client-of-other-server", "the client id of one authorization server was shown to another")
        } else {
            violate("client-id", "a client id was used that its server does not know")
        }
    }

    private func accepts(_ uri: String, of client: KnownClient) -> Bool {
        switch client.redirectURIs {
        case .exactly(let uris): return uris.contains(uri)
        case .loopback:
            guard let url = URL(string: uri) else { return false }
            return url.scheme == "http" && ["127.0.0.1", "[::1]", "::1", "localhost"].contains(url.host() ?? "")
        }
    }

    // MARK: The resource parameter

    /// RFC 8707 §2: the resource's identifier, in each request.
    func checkResource(of parameters: Parameters, in request: String, isOptional: Bool = false) -> Bool {
        let stated = parameters["resource"]
        // Servers without metadata of the resource are older than the parameter.
        if scenario.resource.metadataPath == nil || isOptional, stated == nil { return true }
        let accepted =
            scenario.resource.metadataPath == nil ? [url, bases[.resource, default: ""]] : [identifierForTokens]
        if let stated, accepted.contains(stated), !parameters.repeated.contains("resource") { return true }
        violate("resource-parameter", "`resource` of \(request) is not the resource's identifier")
        return false
    }

    /// A session from before is for the right resource, whatever the metadata say now.
    private var identifierForTokens: String {
        if case .other = scenario.resource.identifier { url } else { identifier }
    }
}
#endif
