// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bound tokens of a third-party server that wants a nonce in each proof, and accepts each nonce four times. A
/// third-party resource verifies the proofs.
@Suite(
    .enabled(if: ApacheResourceServer.isThere, ApacheResourceServer.how), .glewlwyd(demandsNonces: true), .apache,
    .serialized, .timeLimit(.minutes(5)))
struct GlewlwydProofTests {
    private let apache: ApacheResourceServer

    init() throws { apache = try #require(ApacheResourceServer.current) }

    private func status(of url: URL, by auth: some AuthorizationProvider) async throws -> Int? {
        let (_, response) = try await URLSession.patient.data(from: url, authorizedBy: auth)
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test(arguments: Carrier.allCases, [false, true])
    func `a user signs in with a bound token, also by a pushed request`(
        carrier: Carrier, pushesRequests: Bool
    ) async throws {
        let bench = try await GlewlwydBench(carrier)
        let token = try await bench.signIn(bench.service(proof: .dpop, pushesRequests: pushesRequests))
        #expect(token.tokenType == "DPoP" && token.proofKey != nil)
        let answer = try await bench.introspection(of: token, by: GlewlwydBench.web)
        #expect(answer.isActive == false || answer.tokenType == "DPoP")
    }

    @Test func `the resource takes a bound token with its proof, and refuses it as Bearer or with another key`()
        async throws
    {
        let bench = try await GlewlwydBench()
        let service = bench.service(proof: .dpop)
        let token = try await bench.signIn(service)
        let auth = RefreshableTokenAuthorization(service: service, token: token, clock: bench.clock)
        for path in ["/dpop/", "/dpop/index.json", "/dpop/?a=b"] {
            #expect(try await status(of: apache.url(path), by: auth) == 200)
        }
        #expect(try await status(of: apache.url("/dpop/"), by: .bearer(token.accessToken)) == 401)
        var thief = token
        thief.proofKey = try await bench.signIn(service).proofKey
        let other = RefreshableTokenAuthorization(service: service, token: thief, clock: bench.clock)
        let request = try await URLRequest(url: apache.url("/dpop/")).authorized(using: other)
        let (_, response) = try await URLSession.patient.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
    }

    /// The resource here does not know EdDSA.
    @Test func `the server takes proofs with EdDSA at sign-in and refreshes, and refuses those of another key`()
        async throws
    {
        let bench = try await GlewlwydBench()
        let service = bench.service(proof: .dpop(algorithm: .edDSA))
        let auth = RefreshableTokenAuthorization(service: service, clock: bench.clock)
        try await auth.signIn { try await bench.signIn(service) }
        let key = try await auth.validToken().proofKey
        for _ in 0..<3 { #expect(try await auth.refreshNow().proofKey == key) }
        var thief = try await auth.validToken()
        thief.proofKey = try await bench.signIn(service).proofKey
        let stolen = thief
        let error = await #expect(throws: TokenEndpointError.self) { try await service.refresh(stolen) }
        #expect(error?.code == "invalid_dpop_proof")
        #expect(try await auth.refreshNow().proofKey == key)
    }

    @Test func `async-http-client works too if it follows no redirects`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service(proof: .dpop)
        let auth = RefreshableTokenAuthorization(
            service: service, token: try await bench.signIn(service), clock: bench.clock)
        let response = try await HTTPClient.patient.execute(
            HTTPClientRequest(url: apache.url("/dpop/").absoluteString), timeout: .seconds(300), authorizedBy: auth,
            clientFollowsRedirects: false)
        #expect(response.status == .ok)
    }

    @Test func `a hundred refreshes, each for fifty callers, while nonces change`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service(proof: .dpop)
        // Each 401 is for a fresh token.
        let policy = RefreshPolicy(storm: RefreshPolicy.Storm(limit: 1_000))
        let auth = RefreshableTokenAuthorization(service: service, policy: policy, clock: bench.clock)
        try await auth.signIn { try await bench.signIn(service) }
        let key = try await auth.validToken().proofKey
        let before = try await bench.server.refreshTokens()
        for _ in 0..<100 {
            let request = try await URLRequest(url: apache.url("/dpop/")).authorized(using: auth)
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
            let tokens = try await withThrowingTaskGroup(of: OAuthToken.self) { group in
                for _ in 0..<50 { group.addTask { try await auth.validToken() } }
                return try await group.reduce(into: Set<OAuthToken>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1 && tokens.first?.proofKey == key)
        }
        #expect(try await bench.server.refreshTokens() == before + 100)
        #expect(try await status(of: apache.url("/dpop/"), by: auth) == 200)
    }

    @Test func `the server asks for a nonce as a resource too`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service(proof: .dpop)
        let auth = RefreshableTokenAuthorization(
            service: OAuthTokenService.custom(
                server: bench.metadata, client: .public(id: "native"), proof: .dpop, transport: bench.transport,
                clock: bench.clock
            ) { _ in throw NotAuthorized(.noToken) }, token: try await bench.signIn(service), clock: bench.clock)
        let request = URLRequest(url: try bench.server.url("/api/oidc/userinfo"))
        // Without the scope openid it refuses, but it looks at the proof first.
        let credential = try await auth.credential(for: request)
        var first = request
        try first.set(credential)
        let (_, response) = try await URLSession.patient.data(for: first)
        let head = try #require(response as? HTTPURLResponse)
        #expect(head.statusCode == 401 && head.value(forHTTPHeaderField: "DPoP-Nonce") != nil)
        #expect(try await credential.judge(head) == .newProof)
        let (_, second) = try await URLSession.patient.data(for: try await request.authorized(using: auth))
        let text = (second as? HTTPURLResponse)?.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        #expect(!text.contains("use_dpop_nonce"))
    }

    @Test func `clocks that are ten minutes off do not matter`() async throws {
        for offset in [-600.0, 600] {
            let bench = try await GlewlwydBench()
            bench.clock.setWallClock(to: .now.addingTimeInterval(offset))
            let service = bench.service(proof: .dpop)
            let auth = RefreshableTokenAuthorization(service: service, clock: bench.clock)
            try await auth.signIn { try await bench.signIn(service) }
            #expect(try await status(of: apache.url("/dpop/"), by: auth) == 200)
        }
    }

    @Test func `token and key are adopted from a folder, as by a second process or after a crash`() async throws {
        let bench = try await GlewlwydBench()
        let folder = FileManager.default.temporaryDirectory.appending(path: "proof-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = {
            RestrictedFileTokenStore<OAuthToken>(client: "native", account: "alice", folder: .at(folder))
        }
        let first = bench.service(proof: .dpop)
        let auth = RefreshableTokenAuthorization(service: first, store: store(), clock: bench.clock)
        try await auth.signIn { try await bench.signIn(first) }
        let other = RefreshableTokenAuthorization(
            service: bench.service(proof: .dpop), store: store(), clock: bench.clock)
        #expect(try await status(of: apache.url("/dpop/"), by: other) == 200)
        let refreshed = try await other.refreshNow()
        #expect(refreshed.proofKey == auth.currentToken?.proofKey)
        #expect(try await status(of: apache.url("/dpop/"), by: other) == 200)
    }

    @Test func `a session that began without proof does not adopt a key`() async throws {
        let bench = try await GlewlwydBench()
        let token = try await bench.signIn(bench.service())
        #expect(!token.isBound)
        let error = await #expect(throws: TokenEndpointError.self) {
            try await bench.service(proof: .dpop).refresh(token)
        }
        #expect(error?.code == "invalid_dpop_proof" && error?.kind == .transient)
        // Its refresh token is not spent.
        _ = try await bench.service().refresh(token)
    }

    @Test func `another key cannot use the refresh token`() async throws {
        let bench = try await GlewlwydBench()
        let service = bench.service(proof: .dpop)
        let token = try await bench.signIn(service)
        var thief = token
        thief.proofKey = try await bench.signIn(service).proofKey
        let error = await #expect(throws: TokenEndpointError.self) { try await service.refresh(thief) }
        #expect(error?.code == "invalid_dpop_proof")
        #expect(try await service.refresh(token).proofKey == token.proofKey)
    }
}
#endif
