// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Stage {
    func serverAnswer(_ call: Call, _ index: Int) -> Answer {
        let conduct = servers[index].conduct
        switch call.path {
        case conduct.metadataPath: return serverMetadata(index)
        case conduct.endpointPath + "/authorize": return authorizationAnswer(call, index)
        case conduct.endpointPath + "/token": return tokenAnswer(call, index)
        case conduct.endpointPath + "/register": return registrationAnswer(call, index)
        case ServerConduct.rootPath where conduct.trapsRootMetadata,
            ServerConduct.openIDRootPath where conduct.trapsRootMetadata:
            violate("server-metadata-root", "the root's metadata were requested although the issuer has a path")
            return .notFound
        default: return .notFound
        }
    }

    /// RFC 8414 §3.2.
    private func serverMetadata(_ index: Int) -> Answer {
        let server = servers[index]
        let conduct = server.conduct
        record.events.append(.init(kind: .serverMetadata, role: server.role))
        let endpoints = servers.first { !isHealed && $0.role == conduct.endpointRole } ?? server
        var members: [String: Any] = [
            "issuer": (isHealed ? nil : conduct.statedIssuer) ?? server.issuer,
            "authorization_endpoint": endpoints.endpoint("authorize"),
            "token_endpoint": endpoints.endpoint("token"),
            "response_types_supported": ["code"],
            "grant_types_supported": conduct.grants,
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": conduct.authenticationMethods,
        ]
        if conduct.registers, scenario.givenClient == nil {
            members["registration_endpoint"] = endpoints.endpoint("register")
        }
        members["scopes_supported"] = conduct.scopesSupported
        if conduct.takesDocuments { members["client_id_metadata_document_supported"] = true }
        if conduct.announcesIssuerParameter { members["authorization_response_iss_parameter_supported"] = true }
        if scenario.proofs != .none { members["dpop_signing_alg_values_supported"] = ["ES256"] }
        if conduct.authenticationMethods == ["private_key_jwt"] {
            members["token_endpoint_auth_signing_alg_values_supported"] = ["ES256"]
        }
        if conduct.metadataPath?.hasSuffix(ServerConduct.openIDRootPath) == true {
            members["jwks_uri"] = server.base + "/jwks"
            members["subject_types_supported"] = ["public"]
            members["id_token_signing_alg_values_supported"] = ["ES256"]
        }
        return .json(members)
    }
}
#endif
