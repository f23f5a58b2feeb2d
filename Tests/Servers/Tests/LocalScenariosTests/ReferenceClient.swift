// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Crypto
import Foundation
import LocalScenarios

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A small client for all scenarios, which shows that they can be passed. With a ``Break`` it makes one mistake.
///
/// It is a client for tests: it knows the scenarios' servers, trusts no network, and stores nothing.
final class ReferenceClient {
    struct Token {
        var access: String
        var refresh: String?
        var isBound = false
        var issuer: String
    }

    struct Client {
        var id: String
        var secret: String?
        var method = "none"
        var issuer: String
    }

    let context: ScenarioContext
    let mistake: Break?
    let inbox: Inbox
    let redirectURI: String
    let key = P256.Signing.PrivateKey()
    var token: Token?
    var client: Client?
    var server: Server?
    var scopes: Set<String> = []
    /// The nonces by origin, and a proof that is used again by mistake.
    var nonces: [String: String] = [:]
    var oldProof: String?

    init(_ run: ScenarioRun, _ mistake: Break?, _ inbox: Inbox, redirectURI: String) {
        (context, self.mistake, self.inbox, self.redirectURI) = (run.context, mistake, inbox, redirectURI)
        guard let session = context.session else { return }
        token = Token(access: session.accessToken, refresh: session.refreshToken, issuer: session.issuer)
        client = Client(id: session.clientID, issuer: session.issuer)
        scopes = Set(session.scopes)
        server = Server(
            issuer: session.issuer, authorize: session.authorizationEndpoint, token: session.tokenEndpoint,
            register: session.registrationEndpoint, announcesIssuer: session.announcesIssuerParameter)
    }

    func makes(_ mistake: Break) -> Bool { self.mistake == mistake }

    /// Sends a call, with a sign-in and a step-up if they are needed.
    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        do {
            let reply = try await reply(to: request)
            if reply.status != 200, makes(.dropsSession) { forget() }
            return (reply.data, reply.response)
        } catch {
            if makes(.dropsSession) { forget() }
            throw error
        }
    }

    private func forget() { (token, client, server, scopes) = (nil, nil, nil, []) }

    private func reply(to request: URLRequest) async throws -> Reply {
        var recoveries = 0
        var stepUps = 0
        while true {
            let reply = try await sendOnce(request)
            if reply.status == 401, recoveries < 2 {
                recoveries += 1
                try await recover(reply)
            } else if reply.status == 403, stepUps < (makes(.stepsUpForEver) ? 4 : 1) {
                stepUps += 1
                try await stepUp(reply)
            } else {
                return reply
            }
        }
    }

    /// Sends a call once, or twice if a nonce is wanted.
    private func sendOnce(_ request: URLRequest) async throws -> Reply {
        let reply = try await Wire.send(try authorized(request))
        guard let nonce = reply.field("DPoP-Nonce"), !makes(.ignoresNonces), let url = request.url else { return reply }
        nonces[scope(ofNonceAt: url.absoluteString)] = nonce
        return try await Wire.send(try authorized(request))
    }

    private func authorized(_ request: URLRequest) throws -> URLRequest {
        var request = request
        if makes(.statesNoVersion) { request.setValue(nil, forHTTPHeaderField: "MCP-Protocol-Version") }
        guard let url = request.url else { return request }
        if makes(.makesUpToken), token == nil {
            request.setValue("Bearer made-up", forHTTPHeaderField: "Authorization")
        }
        guard let token else { return request }
        let isBound = token.isBound && !makes(.usesBearer)
        request.setValue("\(isBound ? "DPoP" : "Bearer") \(token.access)", forHTTPHeaderField: "Authorization")
        if makes(.putsTokenInURL) { request.url = URL(string: "\(url)?access_token=\(token.access)") }
        guard isBound else { return request }
        let proof = try oldProof ?? proof("POST", url.absoluteString, token: token.access)
        if makes(.reusesProof) { oldProof = proof }
        request.setValue(proof, forHTTPHeaderField: "DPoP")
        return request
    }

    // MARK: - After a refusal

    private func recover(_ reply: Reply) async throws {
        if makes(.neverReadsAgain), let server, token?.refresh != nil { return try await refresh(server) }
        let found = try await discover(reply)
        let server = try await metadata(of: found)
        if let token, token.refresh != nil, token.issuer == found.issuer { return try await refresh(server) }
        if client?.issuer != found.issuer, !makes(.keepsClient) { client = nil }
        self.server = server
        var scopes = Set((reply.challenge("scope") ?? "").split(separator: " ").map(String.init))
        if scopes.isEmpty || makes(.ignoresScopesOfChallenge) { scopes = Set(found.scopes) }
        if makes(.asksForNoScope) { scopes = [] }
        if makes(.asksForMore) { scopes.insert("mcp:more") }
        if makes(.asksForOfflineAccess) { scopes.insert("offline_access") }
        self.scopes = scopes
        try await signIn(server, found)
    }

    private func stepUp(_ reply: Reply) async throws {
        let missing = Set((reply.challenge("scope") ?? "").split(separator: " ").map(String.init))
        scopes = makes(.stepsUpWithoutUnion) ? missing : scopes.union(missing)
        let resource = context.session?.resource ?? context.serverURL
        guard let server else { throw Failure("no server is known") }
        try await signIn(server, Found(resource: resource, issuer: server.issuer, scopes: [], isOld: false))
    }

    func proof(_ method: String, _ url: String, token: String?) throws -> String {
        let point = key.publicKey.rawRepresentation
        var claims: [String: Any] = [
            "jti": UUID().uuidString, "htm": method, "htu": url, "iat": Int(Date().timeIntervalSince1970),
        ]
        claims["ath"] = token.map(Wire.hash)
        claims["nonce"] = nonces[scope(ofNonceAt: url)]
        let jwk = [
            "kty": "EC", "crv": "P-256", "x": Wire.base64URL(point.prefix(32)), "y": Wire.base64URL(point.suffix(32)),
        ]
        return try Wire.jwt(["alg": "ES256", "typ": "dpop+jwt", "jwk": jwk], claims, key)
    }

    func scope(ofNonceAt url: String) -> String { makes(.sharesNonces) ? "" : origin(url) }

    func origin(_ url: String) -> String { url.split(separator: "/").prefix(2).joined(separator: "//") }
}
