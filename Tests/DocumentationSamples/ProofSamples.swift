// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

// sample: own-proof
/// Signs each request with a key of the device, which the server knows.
struct DeviceProof: RequestProof {
    let sign: @Sendable (String) throws -> String

    @concurrent func fields(for request: ProvenRequest) async throws -> [String: String] {
        let text = "\(UUID().uuidString) \(request.method) \(request.uri)"  // another text each time
        return ["X-Proof": try sign(text)]
    }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome {
        response.headerValues(for: "X-Proof-Error") == ["stale"] ? .newProofNeeded : .settled
    }
}

struct DeviceTokenService: RefreshableTokenService {
    let widgets: WidgetTokenService
    let sign: @Sendable (String) throws -> String
    let proofFields: Set = ["X-Proof"]

    func refresh(_ token: WidgetToken) async throws -> WidgetToken { try await widgets.refresh(token) }
    func proof(for token: WidgetToken) throws -> (any RequestProof)? { DeviceProof(sign: sign) }
}
// end sample

// sample: own-request
struct GadgetRequest: AuthorizableRequest {
    var method = "GET"
    var host: String
    var path: String
    var fields = WidgetFields()

    var requestMethod: String? { method }
    var targetURI: String? { "https://\(host)\(path)" }
    var origin: Origin? { Origin(host: host) }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field] }
    mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
}
// end sample

/// Samples of tokens that are bound to a key.
@Suite struct ProofSamples {
    let server = AuthorizationServer(
        issuer: "https://accounts.example.com",
        authorizationEndpoint: URL(string: "https://accounts.example.com/authorize"),
        tokenEndpoint: URL(string: "https://accounts.example.com/token"))
    let transport = ScriptedTokenTransport(
        forever: .response(200, json: #"{"access_token":"a","token_type":"DPoP","refresh_token":"r"}"#))

    @Test func `a custom proof`() async throws {
        let endpoint = try #require(URL(string: "https://accounts.widgets.example/token"))
        let service = DeviceTokenService(
            widgets: WidgetTokenService(endpoint: JSONTokenEndpoint(endpoint, transport: transport)),
            sign: { "signed \($0)" })
        let auth = RefreshableTokenAuthorization(
            service: service, token: WidgetToken(accessToken: "a", refreshToken: "r", expiresAt: .distantFuture))
        let resource = ScriptedTransport<TestRequest, TestResponse>(
            .response(401, ["X-Proof-Error": "stale"]), .response(200))
        let response = try await auth.send(TestRequest()) { try await resource.send($0) }
        #expect(response.statusCode == 200 && transport.calls == 0)
        let proofs = resource.requests.compactMap { $0["X-Proof"] }
        #expect(Set(proofs).count == 2 && proofs.allSatisfy { $0.hasSuffix(" GET https://api.example.com/") })
    }

    @Test func `a request that a proof can be made for`() async throws {
        try await AuthorizableRequestChecks(method: "GET", target: "https://api.widgets.example/v1/gadgets/1") {
            GadgetRequest(host: "api.widgets.example", path: "/v1/gadgets/1")
        }.run()
    }

    #if canImport(CryptoKit) || Crypto
    @Test func `tokens that are bound to a key`() async throws {
        let store = InMemoryTokenStore<OAuthToken>()
        // sample: dpop
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "app"), proof: .dpop, redirectURI: "com.example.app:/callback",
            transport: transport)
        let auth = RefreshableTokenAuthorization(service: service, store: store)
        // end sample
        // A session that began without a key gets one with its first refresh.
        try await auth.setToken(try await service.refresh(OAuthToken(accessToken: "b", refreshToken: "q")))
        let request = try await TestRequest().authorized(using: auth)
        #expect(request["Authorization"] == "DPoP a" && request.fieldNames == ["authorization", "dpop"])
        #expect(store.stored?.token?.proofKey != nil)
    }

    @Test func `keys in the Secure Enclave`() async throws {
        // sample: secure-enclave
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "app"), proof: .dpop(keyStorage: .secureEnclave),
            redirectURI: "com.example.app:/callback", transport: transport)
        // end sample
        #expect(service.proofFields == ["DPoP"])
        #if !canImport(CryptoKit)
        await #expect(throws: ProofUnavailable(.noSecureEnclave)) { try await service.signIn(scopes: ["read"]) }
        #endif
    }

    @Test func `a provider around one that proves`() async throws {
        let service = OAuthTokenService.authorizationCode(
            server: server, client: .public(id: "app"), proof: .dpop, transport: transport)
        let token = try await service.refresh(OAuthToken(accessToken: "b", refreshToken: "q"))
        let auth = TenantAuthorization(
            base: RefreshableTokenAuthorization(service: service, token: token), tenant: "t")
        let resource = ScriptedTransport<TestRequest, TestResponse>(
            .response(401, ["WWW-Authenticate": #"DPoP error="use_dpop_nonce""#, "DPoP-Nonce": "n"]), .response(200))
        let response = try await auth.send(TestRequest()) { try await resource.send($0) }
        #expect(response.statusCode == 200 && transport.calls == 1)
        #expect(Set(resource.requests.map { $0["DPoP"] }).count == 2)
    }
    #endif
}
