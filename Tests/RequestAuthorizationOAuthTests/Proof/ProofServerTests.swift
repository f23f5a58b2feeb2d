// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// The date of the system, and deadlines that never pass: on a busy machine an answer may take longer than a turn waits
/// for it.
private struct EndlessClock: AuthorizationClock {
    private let sleeper = ManualClock()

    var now: Date { .now }
    var uptime: Duration { .zero }
    func sleep(for duration: Duration) async throws { try await sleeper.sleep(for: duration) }
}

/// Bound tokens in front of servers that verify each proof, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct ProofServerTests {
    private typealias Auth = RefreshableTokenAuthorization<OAuthToken>

    /// - Parameter clock: the client's clock.
    private func auth(
        _ guardian: ProofGuardian, at server: RawServer, store: any TokenStore<OAuthToken>,
        clock: any AuthorizationClock = .system
    ) async throws -> Auth {
        let service = OAuthTokenService.custom(
            server: .make(at: "http://127.0.0.1:\(server.port)/as"), client: .public(id: "app"), proof: .dpop,
            transport: .patient, clock: clock
        ) { try await $0.token(grantType: "client_credentials") }
        return RefreshableTokenAuthorization(service: service, store: store, clock: clock)
    }

    /// The resource accepts only the nonce of its last answer, so that of many requests at once all but one are refused.
    @Test func `100 callers of a resource that changes its nonce with each answer all get 200`() async throws {
        let guardian = ProofGuardian(changesNonces: true)
        try await withServer(guardian.answer) { server in
            let auth = try await auth(guardian, at: server, store: InMemoryTokenStore(), clock: EndlessClock())
            for _ in 0..<2 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            if number.isMultiple(of: 2) { return try await status(of: server.url("/api/x"), by: auth) }
                            let request = HTTPClientRequest(url: server.url("/api/y").absoluteString)
                            let response = try await HTTPClient.patient.execute(
                                request, timeout: .seconds(300), authorizedBy: auth, clientFollowsRedirects: false)
                            return response.statusCode
                        }
                    }
                    for try await status in group { #expect(status == 200) }
                }
            }
            #expect(guardian.resourceRequests <= 600)
            #expect(guardian.tokens == 1 && guardian.faults == [])
        }
    }

    @Test func `50 callers for each expiry make one call, with a nonce that changes for each request`() async throws {
        let guardian = ProofGuardian(changesNonces: true)
        try await withServer(guardian.answer) { server in
            let auth = try await auth(guardian, at: server, store: InMemoryTokenStore(), clock: EndlessClock())
            for round in 1...20 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<50 {
                        group.addTask {
                            try await status(of: server.url("/api/x"), by: auth)
                        }
                    }
                    for try await status in group { #expect(status == 200) }
                }
                #expect(guardian.tokens == round)
                try await auth.refreshNow()
            }
            #expect(guardian.tokens == 21)
            #expect(guardian.faults == [])
        }
    }

    @Test func `a nonce at each of 1 000 requests, in sequence, costs one request for the first`() async throws {
        let guardian = ProofGuardian(changesNonces: true)
        try await withServer(guardian.answer) { server in
            let auth = try await auth(guardian, at: server, store: InMemoryTokenStore())
            for _ in 0..<1000 { #expect(try await status(of: server.url("/api/x"), by: auth) == 200) }
            #expect(guardian.resourceRequests == 1001)
            #expect(guardian.tokens == 1 && guardian.faults == [])
        }
    }

    @Test func `two resources with different nonces at once`() async throws {
        let (first, second) = (ProofGuardian(changesNonces: false), ProofGuardian(changesNonces: false))
        try await withServer(first.answer) { server in
            try await withServer(second.answer) { other in
                second.trust(first)
                let auth = try await auth(first, at: server, store: InMemoryTokenStore())
                for _ in 0..<20 {
                    async let one = status(of: server.url("/api/x"), by: auth)
                    async let two = status(of: other.url("/api/y"), by: auth)
                    #expect(try await [one, two] == [200, 200])
                }
                #expect(first.resourceRequests == 21 && second.resourceRequests == 21)
                #expect(first.faults == [] && second.faults == [])
            }
        }
    }

    @Test(arguments: [-600.0, 600]) func `a clock that is ten minutes off is no obstacle`(offset: Double) async throws {
        let guardian = ProofGuardian(changesNonces: false)
        try await withServer(guardian.answer) { server in
            let clock = ManualClock(now: .now.addingTimeInterval(offset))
            let auth = try await auth(guardian, at: server, store: InMemoryTokenStore(), clock: clock)
            #expect(try await status(of: server.url("/api/x"), by: auth) == 200)
            #expect(try await status(of: server.url("/api/x"), by: auth) == 200)
            #expect(guardian.tokens == 1)
        }
    }

    @Test func `a process that adopts the token adopts its key`() async throws {
        let guardian = ProofGuardian(changesNonces: false)
        let store = InMemoryTokenStore<OAuthToken>()
        try await withServer(guardian.answer) { server in
            for _ in 0..<2 {
                let auth = try await auth(guardian, at: server, store: store)
                #expect(try await status(of: server.url("/api/x"), by: auth) == 200)
            }
            #expect(guardian.tokens == 1 && guardian.faults == [])
        }
    }

    /// What is sent and what is signed agree, byte by byte, also where a client removes dot segments or encodes characters.
    @Test(arguments: [
        "/api/../api/x", "/api/./x?y=/../z", "/api/x/..", "/api/%7e/%2e%2e/x", "//api/../x", "/api/é/../ü",
    ])
    func `a proof names the path that the client sends`(path: String) async throws {
        let guardian = ProofGuardian(changesNonces: false)
        try await withServer(guardian.answer) { server in
            let auth = try await auth(guardian, at: server, store: InMemoryTokenStore())
            let text = "http://127.0.0.1:\(server.port)\(path)"
            #expect(try await status(of: try .make(text), by: auth) == 200)
            let response = try await HTTPClient.patient.execute(
                HTTPClientRequest(url: text), timeout: .seconds(300), authorizedBy: auth, clientFollowsRedirects: false)
            #expect(response.status == .ok)
            #expect(guardian.faults == [])
        }
    }

    @Test func `async-http-client proves too, if it follows no redirects`() async throws {
        let guardian = ProofGuardian(changesNonces: false)
        try await withServer(guardian.answer) { server in
            let auth = try await auth(guardian, at: server, store: InMemoryTokenStore())
            let request = HTTPClientRequest(url: server.url("/api/x?y=z").absoluteString)
            for _ in 0..<2 {
                let response = try await HTTPClient.patient.execute(
                    request, timeout: .seconds(300), authorizedBy: auth, clientFollowsRedirects: false)
                #expect(response.status == .ok)
            }
            #expect(guardian.faults == [])
            let error = await #expect(throws: NotAuthorized.self) {
                try await HTTPClient.shared.execute(request, timeout: .seconds(60), authorizedBy: auth)
            }
            #expect(error?.reason == .redirectsFollowed)
        }
    }

    private func status(of url: URL, by auth: some AuthorizationProvider) async throws -> Int {
        let (_, response) = try await URLSession.patient.data(from: url, authorizedBy: auth)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}

/// An authorization server and a resource, both of which verify each proof and ask for a nonce.
private final class ProofGuardian: Sendable {
    private struct State {
        /// The key that each token is bound to.
        var keys: [String: String] = [:]
        var nonce = 1
        var resourceRequests = 0
        var faults: [ProofRefusal] = []
    }

    private let state = Lock(State())
    private let trusted = Lock<ProofGuardian?>(nil)
    private let verifier = ProofVerifier(tolerance: 60) { .now }
    private let changesNonces: Bool
    private let name = UUID().uuidString

    init(changesNonces: Bool) { self.changesNonces = changesNonces }

    /// The number of issued tokens.
    var tokens: Int { state.withLock { $0.keys.count } }
    var resourceRequests: Int { state.withLock { $0.resourceRequests } }
    /// The refusals of proofs, except for nonces and the time.
    var faults: [ProofRefusal] { state.withLock { $0.faults } }

    /// Accepts the tokens of another server.
    func trust(_ other: ProofGuardian) { trusted.withLock { $0 = other } }

    var answer: RawServer.Script {
        { [self] request in request.target.hasPrefix("/as/") ? token(for: request) : resource(for: request) }
    }

    private func token(for request: RawRequest) -> Answer {
        do throws(ProofRefusal) {
            let proof = try verifier.verify(ProofSubject(request), nonce: name)
            let token = UUID().uuidString
            state.withLock { $0.keys[token] = proof.thumbprint }
            return .json(#"{"access_token":"\#(token)","token_type":"DPoP","expires_in":3600}"#)
        } catch {
            let code = note(error) ? "use_dpop_nonce" : "invalid_dpop_proof"
            return .json(#"{"error":"\#(code)"}"#, status: 400, ("DPoP-Nonce", name), ("Date", Self.date))
        }
    }

    private func resource(for request: RawRequest) -> Answer {
        let token = String(request["Authorization"]?.dropFirst("DPoP ".count) ?? "")
        let (key, nonce, next) = state.withLock { state in
            state.resourceRequests += 1
            let nonce = "r\(state.nonce)"
            if changesNonces { state.nonce += 1 }
            return (state.keys[token], nonce, "r\(state.nonce)")
        }
        let known = key ?? trusted.withLock { $0 }?.key(of: token)
        do throws(ProofRefusal) {
            guard let known else { throw .authorization }
            _ = try verifier.verify(
                ProofSubject(request), token: token, boundTo: known, nonce: "\(name)-\(nonce)")
            return .status(200, ("DPoP-Nonce", "\(name)-\(next)"), body: "hello")
        } catch {
            let code = note(error) ? "use_dpop_nonce" : "invalid_dpop_proof"
            return .status(
                401, ("WWW-Authenticate", "DPoP error=\"\(code)\""), ("DPoP-Nonce", "\(name)-\(next)"),
                ("Date", Self.date))
        }
    }

    private func key(of token: String) -> String? { state.withLock { $0.keys[token] } }

    /// - Returns: whether the nonce was wrong.
    private func note(_ refusal: ProofRefusal) -> Bool {
        switch refusal {
        case .nonce: return true
        case .issuedAt: return false
        default:
            state.withLock { $0.faults.append(refusal) }
            return false
        }
    }

    private static var date: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: .now)
    }
}
#endif
