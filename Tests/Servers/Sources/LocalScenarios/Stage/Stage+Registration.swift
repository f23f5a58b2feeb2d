// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

extension Stage {
    /// RFC 7591 §3.
    func registrationAnswer(_ call: Call, _ index: Int) -> Answer {
        let conduct = servers[index].conduct
        guard conduct.registers, scenario.givenClient == nil else {
            violate("registration-closed", "the client asked for registration where its server offers none")
            return .notFound
        }
        guard call.method == "POST", let object = call.object, let uris = object["redirect_uris"] as? [String],
            !uris.isEmpty
        else { return .error("invalid_client_metadata", "a JSON object with redirect_uris is needed") }
        if let reason = faultOfApplicationType(object, uris) {
            violate("application-type", reason)
            return .error("invalid_client_metadata", reason)
        }
        let method = object["token_endpoint_auth_method"] as? String ?? conduct.authenticationMethods[0]
        guard conduct.authenticationMethods.contains(method) else {
            violate("auth-method", "the registration names \(method), which the server does not list")
            return .error("invalid_client_metadata", "the server does not support \(method)")
        }
        return register(object, uris, method, index)
    }

    /// MCP 2026-07-28 asks for the type: an authorization server may take a missing one for `web`.
    private func faultOfApplicationType(_ object: [String: Any], _ uris: [String]) -> String? {
        guard version == .july2026 else { return nil }
        let wanted = uris.allSatisfy { $0.hasPrefix("https://") } ? "web" : "native"
        let type = object["application_type"] as? String
        return type == wanted ? nil : "application_type is \(type ?? "missing"); for these URIs it is \(wanted)"
    }

    private func register(_ object: [String: Any], _ uris: [String], _ method: String, _ index: Int) -> Answer {
        var client = KnownClient(id: "registered-" + Material.random(), method: method, redirectURIs: .exactly(uris))
        client.grants = object["grant_types"] as? [String] ?? [Grant.authorizationCode]
        var members: [String: Any] = [
            "client_id": client.id, "client_id_issued_at": Int(Date().timeIntervalSince1970), "redirect_uris": uris,
            "token_endpoint_auth_method": method, "grant_types": client.grants, "response_types": ["code"],
        ]
        members["client_name"] = object["client_name"]
        members["application_type"] = object["application_type"]
        if method != "none" {
            client.secret = "secret/+:" + Material.random()
            members["client_secret"] = client.secret
            members["client_secret_expires_at"] = 0
        }
        servers[index].clients[client.id] = client
        record.events.append(
            .init(
                kind: .registration, role: servers[index].role, client: client.id, scopes: Set(client.grants)))
        return .json(members, status: 201)
    }
}
#endif
