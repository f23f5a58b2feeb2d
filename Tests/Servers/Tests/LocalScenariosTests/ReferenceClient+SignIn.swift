// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Crypto
import Foundation
import LocalScenarios

extension ReferenceClient {
    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    func signIn(_ server: Server, _ found: Found) async throws {
        let client = try await client(at: server)
        var form: [String: String] = [:]
        if !scopes.isEmpty { form["scope"] = scopes.sorted().joined(separator: " ") }
        form["resource"] = resource(found)
        if let assertion = makes(.presentsExpiredAssertion) ? context.expiredJWT : context.validJWT {
            form.merge(["grant_type": Self.jwtBearer, "assertion": assertion]) { $1 }
        } else if let idToken = context.idpIDToken {
            form.merge(["grant_type": Self.jwtBearer, "assertion": try await idJAG(idToken, server)]) { $1 }
        } else if server.grants == ["client_credentials"] {
            form["grant_type"] = "client_credentials"
        } else {
            form.merge(try await code(server, client, form)) { $1 }
            form["scope"] = nil
        }
        do {
            try await requestToken(server, client, form)
            if makes(.presentsCodeTwice) { try await requestToken(server, client, form) }
        } catch {
            guard makes(.retriesRefusal) else { throw error }
            try await requestToken(server, client, form)
        }
    }

    func refresh(_ server: Server) async throws {
        guard let client, let token, let refresh = token.refresh else { throw Failure("no session") }
        let resource = context.session?.resource ?? context.serverURL
        let presented = makes(.presentsOtherRefreshToken) ? refresh + "x" : refresh
        let form = ["grant_type": "refresh_token", "refresh_token": presented, "resource": resource]
        try await requestToken(server, client, form)
        if makes(.presentsRefreshTokenTwice) { try await requestToken(server, client, form) }
    }

    private func resource(_ found: Found) -> String? {
        if makes(.leavesOutResource) { return nil }
        return found.resource.map { makes(.addsFragmentToResource) ? $0 + "#part" : $0 }
    }

    // MARK: The page

    private func code(_ server: Server, _ client: Client, _ asked: [String: String]) async throws -> [String: String] {
        let verifier = UUID().uuidString + UUID().uuidString
        let state = UUID().uuidString
        var query = asked
        query["response_type"] = "code"
        query["client_id"] = makes(.namesOtherClient) ? client.id + "x" : client.id
        query["redirect_uri"] = redirectURI
        query["state"] = state
        query["code_challenge"] = makes(.sendsPlainChallenge) ? verifier : Wire.hash(verifier)
        query["code_challenge_method"] = makes(.sendsPlainChallenge) ? "plain" : "S256"
        let page = try await Wire.get(server.authorize + "?" + Wire.encode(query))
        guard page.status == 200, let response = await inbox.take(), response["state"] == state else {
            throw Failure("the page led to no callback")
        }
        try checkIssuer(response["iss"], server)
        guard let code = response["code"] else { throw Failure("the server refused: \(response["error"] ?? "")") }
        return [
            "grant_type": "authorization_code", "code": makes(.presentsOtherCode) ? code + "x" : code,
            "redirect_uri": redirectURI,
            "code_verifier": makes(.sendsOtherVerifier) ? verifier + "x" : verifier,
        ]
    }

    /// RFC 9207 §2.4.
    private func checkIssuer(_ stated: String?, _ server: Server) throws {
        if makes(.ignoresIssuer) || (makes(.comparesAnnouncedIssuerOnly) && !server.announcesIssuer) { return }
        if makes(.refusesAnyIssuer), stated != nil { throw Failure("an issuer") }
        if makes(.wantsIssuerAlways), stated == nil { throw Failure("no issuer") }
        guard var stated else {
            return server.announcesIssuer ? try { throw Failure("the announced issuer is missing") }() : ()
        }
        if makes(.dropsSlashOfIssuer), stated.hasSuffix("/") { stated.removeLast() }
        guard stated == server.issuer else { throw Failure("the response is of another issuer") }
    }

    // MARK: The token endpoint

    private func requestToken(_ server: Server, _ client: Client, _ form: [String: String]) async throws {
        var reply = try await postToken(server, client, form)
        if let nonce = reply.field("DPoP-Nonce"), !makes(.ignoresNonces) {
            nonces[scope(ofNonceAt: server.token)] = nonce
            reply = try await postToken(server, client, form)
        }
        guard reply.status == 200, let access = reply.text("access_token") else {
            throw Failure("the token endpoint refused: \(reply.text("error") ?? "")")
        }
        token = Token(
            access: access, refresh: reply.text("refresh_token"), isBound: reply.text("token_type") == "DPoP",
            issuer: server.issuer)
    }

    private func postToken(_ server: Server, _ client: Client, _ form: [String: String]) async throws -> Reply {
        var form = form
        var fields: [String: String] = [:]
        if server.bindsTokens { fields["DPoP"] = try proof("POST", server.token, token: nil) }
        switch method(of: client) {
        case "client_secret_basic":
            let pair = "\(Wire.escape(client.id)):\(Wire.escape(client.secret ?? ""))"
            fields["Authorization"] = "Basic " + Data(pair.utf8).base64EncodedString()
        case "client_secret_post":
            (form["client_id"], form["client_secret"]) = (client.id, client.secret ?? "made-up")
        case "private_key_jwt":
            form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            form["client_assertion"] = try assertion(of: client, server)
        default: form["client_id"] = client.id
        }
        return try await Wire.post(server.token, form: form, fields)
    }

    private func method(of client: Client) -> String {
        guard makes(.authenticatesOtherwise) else { return client.method }
        return client.method == "client_secret_post" ? "client_secret_basic" : "client_secret_post"
    }

    private func assertion(of client: Client, _ server: Server) throws -> String {
        let key = try P256.Signing.PrivateKey(pemRepresentation: context.privateKeyPEM ?? "")
        let claims: [String: Any] = [
            "iss": client.id, "sub": client.id,
            "aud": makes(.addressesAssertionToEndpoint) ? server.token : server.issuer,
            "jti": UUID().uuidString, "exp": Int(Date().timeIntervalSince1970) + 60,
        ]
        return try Wire.jwt(["alg": "ES256", "typ": "client-authentication+jwt"], claims, key)
    }

    /// RFC 8693 at the identity provider.
    private func idJAG(_ idToken: String, _ server: Server) async throws -> String {
        var form = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
            "subject_token": idToken, "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "resource": context.serverURL, "client_id": context.idpClientID ?? "",
        ]
        if !makes(.leavesOutAudience) { form["audience"] = server.issuer }
        let reply = try await Wire.post(context.idpTokenEndpoint ?? "", form: form)
        guard let token = reply.text("access_token") else { throw Failure("the identity provider refused") }
        return token
    }
}
