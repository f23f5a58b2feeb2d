// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Tokens that are bound to a key (RFC 9449), from the client's side of the token endpoint.
@Suite struct ProofTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()
    private let verifier: ProofVerifier

    init() {
        let clock = clock
        verifier = ProofVerifier { clock.now }
    }

    private func service(
        _ proof: ProofOfPossession? = .dpop, authentication: (any ClientAuthenticator)? = nil,
        pushesRequests: Bool = false
    ) -> OAuthTokenService {
        var server = AuthorizationServer.make()
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://as.example/par")
        return .authorizationCode(
            server: server, client: .public(id: "app"), authentication: authentication, proof: proof,
            redirectURI: "https://app.example/cb", pendingSignIns: InMemoryPendingSignIns(),
            pushesRequests: pushesRequests, transport: transport, clock: clock)
    }

    private func signIn(_ service: OAuthTokenService) async throws -> OAuthToken {
        let pending = try await service.signIn(scopes: [])
        return try await service.finish(callback: try .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
    }

    private func bound(
        _ accessToken: String = "a", refreshToken: String? = "r", key: ProofKey? = nil
    ) throws -> OAuthToken {
        OAuthToken(
            accessToken: accessToken, refreshToken: refreshToken, tokenType: "DPoP",
            proofKey: try key ?? ProofKey.generated(.withToken))
    }

    private func proof(
        _ request: TokenRequest, boundTo thumbprint: String? = nil, nonce: String? = nil
    ) throws -> VerifiedProof {
        try verifier.verify(ProofSubject(request), boundTo: thumbprint, nonce: nonce)
    }

    private static let answer = #"{"access_token":"a","token_type":"DPoP","refresh_token":"r2"}"#
    private static func wantsNonce(_ nonce: String?) -> ScriptStep<TokenRequest, TokenResponse> {
        .response(400, json: #"{"error":"use_dpop_nonce"}"#, fields: nonce.map { ["DPoP-Nonce": $0] } ?? [:])
    }

    // MARK: - Vectors

    @Test func `RFC 9449 §7.1 and §6.1: the printed hash of a token, and thumbprint of a key`() throws {
        #expect(
            ProofSigner.hash(of: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
                == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        let key = try JSONWebKey(
            Data(
                #"""
                {"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
                "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}
                """#.utf8))
        #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test(arguments: [
        ("https://api.example/a/b?c=d#e", "https://api.example/a/b"),
        ("HTTPS://API.Example:443", "https://api.example/"),
        ("http://api.example:80/x", "http://api.example/x"),
        ("https://api.example:8443/X%20y", "https://api.example:8443/X%20y"),
        ("wss://api.example/chat?room=1", "https://api.example/chat"),
        ("ws://127.0.0.1:8080/chat", "http://127.0.0.1:8080/chat"),
        ("https://[::1]:443/a", "https://[::1]/a"),
        // RFC 3986 §5.2.4, and what libcurl sends.
        ("https://api.example/a/b/c/./../../g", "https://api.example/a/g"),
        ("https://api.example/a/../b?c=/../d", "https://api.example/b"),
        ("https://api.example/a/b/..", "https://api.example/a/"),
        ("https://api.example/a/.#x", "https://api.example/a/"),
        ("https://api.example/../..//x", "https://api.example//x"),
        ("https://api.example/a//../b", "https://api.example/a/b"),
        ("https://api.example/..", "https://api.example/"),
        ("https://api.example:8443/./X", "https://api.example:8443/X"),
        ("https://api.example/...;v=1/..;v=2/.a", "https://api.example/...;v=1/..;v=2/.a"),
        // No client changes them, and servers that normalize do so on both sides.
        ("https://api.example/%7euser/%2e%2E/%c3", "https://api.example/%7euser/%2e%2E/%c3"),
        ("mailto:a/../b", "mailto:a/../b"),
    ])
    func `RFC 9449 §4.2: a target is named without query and fragment`(uri: String, target: String) {
        #expect(ProofTarget.text(of: uri) == target)
    }

    @Test func `RFC 9449 §4.2: a proof names method, target, time and token`() async throws {
        let token = try bound()
        let proof = try #require(try service().proof(for: token))
        let origin: Origin = "https://api.example"
        var identifiers: Set<String> = []
        // The last one is no method of HTTP, but has to be escaped.
        for method in ["GET", "POST", #"A"B\"#] {
            let target = "https://api.example/tracks?x=1"
            let fields = try await proof.fields(
                for: ProvenRequest(origin: origin, method: method, uri: target))
            let subject = ProofSubject(
                method: method, url: target,
                fields: [("Authorization", token.authorizationHeaderValue)] + fields.map { ($0.key, $0.value) })
            let verified = try verifier.verify(subject, token: "a", boundTo: try token.proofKey?.thumbprint())
            identifiers.insert(verified.identifier)
            #expect(verified.nonce == nil)
        }
        #expect(identifiers.count == 3)
    }

    // MARK: - The token endpoint

    @Test func `a sign-in binds the code and the token to one key`() async throws {
        transport.append(.response(200, json: Self.answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        let thumbprint = try #require(try pending.proofKey?.thumbprint())
        #expect(pending.url.absoluteString.contains("dpop_jkt=\(thumbprint)"))
        // Encoded as JSON, as in a store.
        let kept = try JSONDecoder().decode(PendingSignIn.self, from: try JSONEncoder().encode(pending))
        let token = try await service.finish(
            kept, callback: try .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        _ = try proof(try #require(transport.requests.first), boundTo: thumbprint)
        #expect(token.isBound && token.authorizationHeaderValue == "DPoP a")
        #expect(token.proofKey == pending.proofKey)
        let stored = try JSONDecoder().decode(OAuthToken.self, from: try JSONEncoder().encode(token))
        #expect(stored == token)
    }

    @Test func `a service that was made without proof leaves a sign-in with a key to the one that began it`()
        async throws
    {
        transport.append(.response(200, json: Self.answer))
        let service = service()
        let pending = try await service.signIn(scopes: [])
        let callback = try URL.make("\(pending.redirectURI)?code=c&state=\(pending.state)")
        let other = OAuthTokenService.authorizationCode(
            server: service.endpoint.server, client: .public(id: "app"), pendingSignIns: service.pendingSignIns,
            transport: transport, clock: clock)
        await #expect(throws: ProofUnavailable(.notConfigured)) { try await other.finish(callback: callback) }
        #expect(transport.calls == 0)
        #expect(try await service.finish(callback: callback).proofKey == pending.proofKey)
    }

    @Test func `a refresh proves the key of the token, and each sign-in has a new key`() async throws {
        transport.append(.response(200, json: Self.answer), .response(200, json: Self.answer))
        let old = try bound()
        let token = try await service().refresh(old)
        _ = try proof(try #require(transport.requests.first), boundTo: try old.proofKey?.thumbprint())
        #expect(token.proofKey == old.proofKey && token.refreshToken == "r2")
        #expect(try await signIn(service()).proofKey != old.proofKey)
    }

    @Test func `RFC 8037 §3.1: a session with EdDSA has keys and proofs of Ed25519, also for a service for ES256`()
        async throws
    {
        transport.append(.response(200, json: Self.answer), .response(200, json: Self.answer))
        let token = try await signIn(service(.dpop(algorithm: .edDSA)))
        let thumbprint = try #require(try token.proofKey?.thumbprint())
        let stored = try JSONDecoder().decode(OAuthToken.self, from: try JSONEncoder().encode(token))
        let refreshed = try await service().refresh(stored)
        for request in transport.requests { _ = try proof(request, boundTo: thumbprint) }
        let header = try #require(transport.requests.last?["DPoP"]?.split(separator: ".").first)
        let members = try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(try #require(Base64URL.decode(String(header)))))
        #expect(members["alg"] == .string("EdDSA") && members["typ"] == .string("dpop+jwt"))
        #expect(refreshed.proofKey == token.proofKey)
        await #expect(throws: ProofUnavailable(.otherAlgorithm)) {
            try await signIn(service(.dpop(keyStorage: .secureEnclave, algorithm: .edDSA)))
        }
    }

    @Test func `RFC 8037 §A.3: the key of a proof has the printed thumbprint`() throws {
        let secret = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let key = ProofKey(kind: .ed25519, bytes: Data(secret))
        #expect(try key.thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func `a nonce is used within the same call, with a new proof and a new client assertion`() async throws {
        transport.append(Self.wantsNonce("n1"), .response(200, json: Self.answer, fields: ["DPoP-Nonce": "n2"]))
        transport.append(.response(200, json: Self.answer))
        let service = service(authentication: .privateKeyJWT(PrivateKeySigner.generated()))
        let token = try await service.refresh(try bound())
        let requests = transport.requests
        #expect(try requests.map { try proof($0).nonce } == [nil, "n1"])
        let assertions = requests.map { $0.text.split(separator: "&").filter { $0.hasPrefix("client_assertion=") } }
        #expect(assertions[0] != assertions[1] && assertions.allSatisfy { $0.count == 1 })
        #expect(requests.allSatisfy { $0.text.contains("refresh_token=r") })
        // §8.2: the nonce of the 200 is next.
        _ = try await service.refresh(token)
        #expect(try proof(try #require(transport.requests.last)).nonce == "n2")
    }

    @Test func `a server that asks for another nonce each time gets three requests, and nothing is lost`() async throws
    {
        transport.append(Self.wantsNonce("n1"), Self.wantsNonce("n2"), Self.wantsNonce("n3"))
        let error = await #expect(throws: TokenEndpointError.self) { try await service().refresh(try bound()) }
        #expect(error?.code == "use_dpop_nonce" && error?.kind == .transient)
        #expect(try transport.requests.map { try proof($0).nonce } == [nil, "n1", "n2"])
    }

    @Test func `a server that asks for the nonce that it refused gets two requests`() async throws {
        transport.append(Self.wantsNonce("n1"), Self.wantsNonce("n1"))
        let error = await #expect(throws: TokenEndpointError.self) { try await service().refresh(try bound()) }
        #expect(error?.code == "use_dpop_nonce" && error?.kind == .transient)
        #expect(transport.calls == 2)
    }

    @Test(arguments: [nil, "", String(repeating: "n", count: 1025), "a\"b", "a b", "ä"])
    func `a server that asks for a nonce and sends no usable one gets one request`(
        nonce: String?
    ) async throws {
        transport.append(Self.wantsNonce(nonce))
        let error = await #expect(throws: InvalidTokenResponse.self) { try await service().refresh(try bound()) }
        #expect(error?.field == "DPoP-Nonce" && error?.kind == .transient)
        #expect(error?.problem == (nonce == nil ? .missing : .malformed))
    }

    @Test(arguments: [-600, 600]) func `a wrong clock is corrected by the server's time`(seconds: Int) async throws {
        let date = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
        clock.setWallClock(to: date.addingTimeInterval(TimeInterval(seconds)))
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        transport.append(.response(400, json: #"{"error":"invalid_dpop_proof"}"#, fields: ["Date": text]))
        transport.append(.response(200, json: Self.answer))
        _ = try await service().refresh(try bound())
        let strict = ProofVerifier(tolerance: 2) { date }
        let subjects = transport.requests.map { ProofSubject($0) }
        #expect(strict.refusal(of: subjects[0]) != nil)
        #expect(strict.refusal(of: subjects[1]) == nil)
    }

    // MARK: - Bad input

    @Test func `a token that is bound to no key is an error, and its refresh token is kept`() async throws {
        transport.append(.response(200, json: #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2"}"#))
        let key = try ProofKey.generated(.withToken)
        let token = try await service().refresh(try bound(key: key))
        #expect(token.accessToken.isEmpty && token.refreshToken == "r2" && token.proofKey == key)
        #expect(token.authorizationHeaderValue.isEmpty)
        for type in [#","token_type":"bearer""#, ""] {
            transport.append(.response(200, json: "{\"access_token\":\"a\"\(type)}"))
            let error = await #expect(throws: InvalidTokenResponse.self) { try await service().refresh(try bound()) }
            #expect(error?.problem == .downgraded && error?.field == "token_type")
        }
    }

    @Test func `the tokens of a sign-in that are not accepted are revoked, but not those of a damaged answer`()
        async throws
    {
        transport.append(
            .response(200, json: #"{"access_token":"a","token_type":"Bearer","refresh_token":"r1"}"#),
            .response(200, json: ""), .response(200, json: ""))
        let error = await #expect(throws: InvalidTokenResponse.self) { try await signIn(service()) }
        #expect(error?.problem == .downgraded)
        try #require(transport.requests.map(\.url.lastPathComponent) == ["token", "revoke", "revoke"])
        #expect(transport.requests[1].text.contains("token=r1&") && transport.requests[2].text.contains("token=a&"))
        transport.append(.response(200, json: #"{"access_token":"a","re"#))
        let damage = await #expect(throws: InvalidTokenResponse.self) { try await signIn(service()) }
        #expect(damage?.field == "body" && transport.calls == 4)
    }

    @Test func `where Bearer is allowed an unbound token is used as Bearer`() async throws {
        transport.append(.response(200, json: #"{"access_token":"a","token_type":"Bearer","refresh_token":"r2"}"#))
        let service = service(.dpop(allowsBearer: true))
        let token = try await signIn(service)
        #expect(token.authorizationHeaderValue == "Bearer a")
        #expect(try service.proof(for: token) == nil)
        // The refresh token may still be bound.
        transport.append(.response(200, json: Self.answer))
        _ = try await service.refresh(token)
        _ = try proof(try #require(transport.requests.last), boundTo: try token.proofKey?.thumbprint())
    }

    @Test func `a token of type DPoP for which no key was proven is not used`() async throws {
        transport.append(.response(200, json: Self.answer))
        let error = await #expect(throws: InvalidTokenResponse.self) { try await signIn(service(nil)) }
        #expect(error?.problem == .unsupported)
    }

    @Test func `a key that is lost ends the session before its refresh token is spent`() async throws {
        for key in [nil, ProofKey(kind: .p256, bytes: Data([1, 2])), ProofKey(kind: .secureEnclave, bytes: Data([3]))] {
            var token = try bound()
            token.proofKey = key
            let store = InMemoryTokenStore(
                StoredToken(.token(token), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now)
            )
            let auth = RefreshableTokenAuthorization(service: service(), store: store, clock: clock)
            let error = await #expect(throws: NotAuthorized.self) { try await TestRequest().authorized(using: auth) }
            #expect(error?.reason == .rejected && error?.underlying as? ProofUnavailable == ProofUnavailable(.keyLost))
        }
        #expect(transport.calls == 0)
    }

    @Test func `a grant that needs no user is repeated with a new key if that of its token is lost`() async throws {
        transport.append(.response(200, json: Self.answer))
        let service = OAuthTokenService.custom(
            server: .make(), client: .public(id: "app"), proof: .dpop, transport: transport, clock: clock
        ) { try await $0.token(grantType: "urn:example:grant") }
        let token = try await service.refresh(try bound(key: ProofKey(kind: .p256, bytes: Data([1, 2]))))
        let request = try #require(transport.requests.first)
        #expect(transport.calls == 1 && request.text.contains("grant_type=urn%3Aexample%3Agrant"))
        _ = try proof(request, boundTo: try token.proofKey?.thumbprint())
    }

    @Test func `a service that was made without proof keeps the session of a bound token`() async throws {
        let auth = RefreshableTokenAuthorization(service: service(nil), token: try bound(), clock: clock)
        let error = await #expect(throws: NotAuthorized.self) { try await TestRequest().authorized(using: auth) }
        #expect(error?.reason == .clientRefused)
        #expect(error?.underlying as? ProofUnavailable == ProofUnavailable(.notConfigured))
        #expect(transport.calls == 0)
        #expect(auth.currentToken?.refreshToken == "r")
    }

    @Test func `a key that cannot leave the device is refused with a store that other devices share`() async throws {
        var token = try bound()
        token.proofKey = ProofKey(kind: .secureEnclave, bytes: Data([1]))
        let auth = RefreshableTokenAuthorization(service: service(), store: EverybodysStore(), clock: clock)
        let error = await #expect(throws: NotAuthorized.self) { try await auth.setToken(token) }
        #expect(error?.detail?.contains("store is shared") == true)
        await #expect(throws: ProofUnavailable(.noSecureEnclave)) {
            try await signIn(service(.dpop(keyStorage: .secureEnclave)))
        }
    }

    @Test func `nonces of servers and of resources are kept apart, and their number is limited`() async throws {
        let nonces = ProofNonces()
        let origin: Origin = "https://one.example"
        let head = TestResponse(200, ["DPoP-Nonce": "n1"])
        let learn = { (server: ProofNonces.Server) in
            let answer = ProofNonces.Answer(response: head, error: nil, server: server, proof: nil)
            guard case .settled = nonces.learn(from: answer, by: clock).outcome else { return false }
            return true
        }
        let next = { (server: ProofNonces.Server) in try await nonces.nextProof(for: server, by: clock).nonce?.text }
        #expect(learn(.resource(origin)))
        #expect(try await next(.authorization(origin)) == nil)
        #expect(try await next(.resource("https://two.example")) == nil)
        #expect(try await next(.resource(origin)) == "n1")
        var known = 0
        for number in 0..<1000 { #expect(learn(.resource(Origin(host: "h\(number).example")))) }
        for number in 0..<1000 where try await next(.resource(Origin(host: "h\(number).example"))) != nil { known += 1 }
        #expect(known <= ProofNonces.limit && known >= ProofNonces.limit - 1)
    }

    @Test func `keys print no part of themselves`() throws {
        let key = try ProofKey.generated(.withToken)
        let (signer, token) = (try ProofSigner(key), try bound(key: key))
        #expect("\(key)" == "ProofKey([redacted])" && String(reflecting: key) == "ProofKey([redacted])")
        #expect("\(signer)" == "ProofSigner([redacted])")
        // In a dump each byte would have a line of its own.
        for value in [key, signer, token] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(dumped.split(separator: "\n").count == 1 && dumped.contains("([redacted])"), "\(dumped)")
        }
    }

    // MARK: - Pushed requests

    @Test func `RFC 9449 §10.1: a pushed request is proven with the same key`() async throws {
        transport.append(
            .response(400, json: #"{"error":"use_dpop_nonce"}"#, fields: ["DPoP-Nonce": "n1"]),
            .response(201, json: #"{"request_uri":"urn:1","expires_in":60}"#), .response(200, json: Self.answer))
        let service = service(pushesRequests: true)
        let pending = try await service.signIn(scopes: [])
        let thumbprint = try #require(try pending.proofKey?.thumbprint())
        #expect(transport.requests[1].text.contains("dpop_jkt=\(thumbprint)"))
        #expect(try transport.requests.map { try proof($0, boundTo: thumbprint).nonce } == [nil, "n1"])
        #expect(!pending.url.absoluteString.contains("dpop_jkt"))
        _ = try await service.finish(callback: try .make("\(pending.redirectURI)?code=c&state=\(pending.state)"))
        #expect(try proof(transport.requests[2], boundTo: thumbprint).nonce == "n1")
    }

    @Test func `a server that refuses the proof of a pushed request gets only the key's thumbprint`() async throws {
        transport.append(
            .response(403, json: #"{"error":"invalid_dpop_proof"}"#),
            .response(201, json: #"{"request_uri":"urn:1","expires_in":60}"#))
        _ = try await service(pushesRequests: true).signIn(scopes: [])
        #expect(transport.requests.map { $0["DPoP"] != nil } == [true, false])
        #expect(transport.requests.allSatisfy { $0.text.contains("dpop_jkt=") })
    }
}

extension ProofSubject {
    init(_ request: TokenRequest) {
        self.init(method: request.method, url: request.url.absoluteString, fields: request.fields)
    }
}

/// A store that other devices use.
private actor EverybodysStore: TokenStore {
    private var stored: StoredToken<OAuthToken>?

    nonisolated var isSharedBetweenDevices: Bool { true }
    func load() async throws -> StoredToken<OAuthToken>? { stored }
    func save(_ stored: StoredToken<OAuthToken>) async throws { self.stored = stored }
    func clear() async throws { stored = nil }
}
#endif
