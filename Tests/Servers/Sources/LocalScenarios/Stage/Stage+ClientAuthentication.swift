// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

extension Stage {
    enum Authentication {
        case client(KnownClient)
        case refused(Answer)
    }

    /// RFC 6749 §2.3: by one method, the one that the client is registered with.
    func authenticate(_ call: Call, _ form: Parameters, _ grant: String, at index: Int) -> Authentication {
        let basic = call.fields["authorization"].flatMap(Self.basic)
        let assertion = JWT(form["client_assertion"])
        let id = basic?.id ?? form["client_id"] ?? assertion?.claims.sub
        // The assertion of a workload names nobody but the workload.
        if id == nil, scenario.givenClient == .workload { return .client(KnownClient(id: material.clientID)) }
        guard let id, let client = client(id, at: index) else {
            noticeForeignClient(id, at: index)
            return .refused(.error("invalid_client", "the client is unknown", status: 401))
        }
        var used: [String] = []
        if call.fields["authorization"] != nil { used.append("client_secret_basic") }
        if form["client_secret"] != nil { used.append("client_secret_post") }
        if form["client_assertion"] != nil { used.append("private_key_jwt") }
        let method = used.isEmpty ? "none" : used.joined(separator: " and ")
        guard method == client.method, form["client_id"].map({ $0 == id }) != false else {
            violate("auth-method", "the client is registered for \(client.method) and used \(method)")
            return .refused(.error("invalid_client", "the client must use \(client.method)", status: 401))
        }
        guard client.secret == (basic?.secret ?? form["client_secret"]) else {
            violate("auth-method", "the client's secret is wrong or not encoded")
            return .refused(.error("invalid_client", "the secret is wrong", status: 401))
        }
        if method == "private_key_jwt", let reason = fault(of: assertion, form, client, index) {
            violate("assertion", reason)
            return .refused(.error("invalid_client", reason, status: 401))
        }
        return .client(client)
    }

    /// RFC 6749 §2.3.1: both parts are form-encoded.
    private static func basic(_ field: String) -> (id: String, secret: String)? {
        guard field.lowercased().hasPrefix("basic "), let data = Data(base64Encoded: String(field.dropFirst(6))) else {
            return nil
        }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let id = Parameters.decode(parts[0]), let secret = Parameters.decode(parts[1]) else {
            return nil
        }
        return (id, secret)
    }

    /// RFC 7523 §3: by the client, about itself, for the issuer alone, once, soon over.
    private func fault(of assertion: JWT?, _ form: Parameters, _ client: KnownClient, _ index: Int) -> String? {
        guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
            return "client_assertion_type is wrong"
        }
        guard let assertion, let key = client.key, assertion.isSigned(by: key) else {
            return "the assertion is not signed with the client's key (ES256)"
        }
        let claims = assertion.claims
        guard claims.iss == client.id, claims.sub == client.id else { return "iss or sub is not the client id" }
        guard claims.aud == servers[index].issuer else { return "aud is not the issuer alone" }
        guard !assertion.isStale, (claims.exp ?? 0) - Int(Date().timeIntervalSince1970) <= 3600 else {
            return "exp is missing, over, or more than an hour away"
        }
        guard let jti = claims.jti, servers[index].assertions.insert(jti).inserted else {
            return "jti is missing or was used before"
        }
        return nil
    }
}
#endif
