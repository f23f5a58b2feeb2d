// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// The time of proofs, at servers whose clock differs from this machine's.
@Suite struct ProofClockTests {
    private let clock = ManualClock(now: JudgingServer.time)
    private let authenticator = CountingAuthenticator()

    private func service(_ server: JudgingServer) -> OAuthTokenService {
        .authorizationCode(
            server: .make(), client: .public(id: "app"), authentication: authenticator, proof: .dpop,
            redirectURI: "https://app.example/cb", transport: server, clock: clock)
    }

    private func bound() throws -> OAuthToken {
        OAuthToken(accessToken: "a", refreshToken: "r", tokenType: "DPoP", proofKey: try .generated(.withToken))
    }

    /// A server whose clock is behind this machine's by the given number of seconds.
    ///
    /// - Parameters:
    ///   - thinking: the seconds between the arrival of a request and the `Date` of the answer.
    ///   - way: the seconds for the way of the answer.
    private func server(behind offset: Double, thinking: Double = 0, way: Double = 0) -> JudgingServer {
        clock.setWallClock(to: JudgingServer.time.addingTimeInterval(offset))
        return JudgingServer(clock: clock, behind: offset, thinking: thinking, way: way)
    }

    /// The times for which the client was authenticated, in tenths of a second after the server's first time.
    private var tenths: [Int] {
        authenticator.requests.map { Int(($0.date.timeIntervalSince(JudgingServer.time) * 10).rounded()) }
    }

    // MARK: - The authorization server

    /// The server takes no `iat` from the future, and none that is older than 2 s.
    @Test(arguments: [0.5, 0.7, 0.99, 1, 3, 5, 5.5, 86_400, -3, -5, -5.5, -86_400])
    func `a wrong clock costs one request, however small the difference`(offset: Double) async throws {
        let server = server(behind: offset)
        let service = service(server)
        let token = try await service.refresh(try bound())
        #expect(server.log == ["invalid_dpop_proof", "ok"])
        _ = try await service.refresh(token)
        #expect(server.log == ["invalid_dpop_proof", "ok", "ok"])
    }

    @Test func `a difference that Date does not show counts for one try only`() async throws {
        let server = server(behind: 0.5, thinking: 0.3)
        let service = service(server)
        for _ in 0..<2 { _ = try await service.refresh(try bound()) }
        #expect(server.log == ["invalid_dpop_proof", "ok", "ok"])
        #expect(tenths == [5, 8, 11])
    }

    @Test func `an answer that only asks for a nonce does not set the clock, however late it comes`() async throws {
        let server = server(behind: 0, way: 8)
        server.wantsNonce = true
        _ = try await service(server).refresh(try bound())
        #expect(server.log == ["use_dpop_nonce", "ok"])
        #expect(tenths == [0, 80])
    }

    @Test func `a proxy with a wrong Date does not matter while the clock is right`() async throws {
        let server = server(behind: 0)
        server.wantsNonce = true
        server.date = "Sun, 06 Nov 1994 08:00:00 GMT"
        let service = service(server)
        for _ in 0..<2 { _ = try await service.refresh(try bound()) }
        #expect(server.log == ["use_dpop_nonce", "ok", "ok"])
        // A refusal for another reason: the wrong time is tried once, and no further proof has it.
        server.refusals = 2
        await #expect(throws: TokenEndpointError.self) { try await service.refresh(try bound()) }
        _ = try await service.refresh(try bound())
        #expect(server.log.suffix(3) == ["invalid_dpop_proof", "invalid_dpop_proof", "ok"])
        // The same, and the retry is accepted although its time is wrong: the next refusal shows that.
        (server.refusals, server.isLenient) = (1, true)
        _ = try await service.refresh(try bound())
        server.isLenient = false
        _ = try await service.refresh(try bound())
        _ = try await service.refresh(try bound())
        #expect(server.log.suffix(5) == ["invalid_dpop_proof", "ok", "invalid_dpop_proof", "ok", "ok"])
    }

    @Test func `a refusal that took long and has a Date of that time says nothing about the clock`() async throws {
        let server = server(behind: 0, way: 8)
        server.refusals = 1
        let service = service(server)
        await #expect(throws: TokenEndpointError.self) { try await service.refresh(try bound()) }
        _ = try await service.refresh(try bound())
        #expect(server.log == ["invalid_dpop_proof", "invalid_dpop_proof", "ok"])
        #expect(tenths == [0, 80, 160])
    }

    @Test func `a refusal without a Date gets no retry`() async throws {
        let server = server(behind: 600)
        server.date = ""
        await #expect(throws: TokenEndpointError.self) { try await service(server).refresh(try bound()) }
        #expect(server.log == ["invalid_dpop_proof"])
    }

    /// An assertion with the wrong time would be refused as `invalid_client`, which corrects no clock.
    @Test func `a clock of this machine that is set later changes neither proofs nor assertions`() async throws {
        let server = server(behind: 600)
        let service = service(server)
        _ = try await service.refresh(try bound())
        clock.setWallClock(to: JudgingServer.time)
        server.offset = 0
        clock.advance(by: .seconds(1))
        _ = try await service.refresh(try bound())
        #expect(server.log == ["invalid_dpop_proof", "ok", "ok"])
        #expect(tenths.last == 2)
    }

    @Test func `a clock of the server that is set right later is known to agree again`() async throws {
        let server = server(behind: 600)
        let service = service(server)
        _ = try await service.refresh(try bound())
        server.offset = 0
        for _ in 0..<2 { _ = try await service.refresh(try bound()) }
        #expect(server.log == ["invalid_dpop_proof", "ok", "invalid_dpop_proof", "ok", "ok"])
    }

    /// A server that looks at the assertion before the proof says nothing about the time.
    @Test func `a clock of the server that is set right later does not stop assertions`() async throws {
        let server = server(behind: 600)
        let service = service(server)
        _ = try await service.refresh(try bound())
        (server.offset, server.refusesClient) = (0, true)
        await #expect(throws: TokenEndpointError.self) { try await service.refresh(try bound()) }
        server.refusesClient = false
        _ = try await service.refresh(try bound())
        #expect(server.log == ["invalid_dpop_proof", "ok", "invalid_client", "ok"])
        #expect(tenths.last == 6000)
    }

    @Test func `a nonce after a corrected time keeps that time`() async throws {
        let server = server(behind: 0.5, thinking: 0.4)
        (server.wantsNonce, server.looksAtTimeFirst) = (true, true)
        _ = try await service(server).refresh(try bound())
        #expect(server.log == ["invalid_dpop_proof", "use_dpop_nonce", "ok"])
    }

    /// RFC 7523 §3: servers refuse assertions from the future, too.
    @Test func `assertions follow the clock of the server once it is known to differ`() async throws {
        let server = server(behind: 600)
        let service = service(server)
        let token = try await service.refresh(try bound())
        _ = try await service.introspect(token)
        let expected = JudgingServer.time.timeIntervalSince1970.rounded(.down)
        #expect(authenticator.requests.map { $0.date.timeIntervalSince1970 - expected }.dropFirst() == [0, 0])
        #expect(authenticator.requests.first?.date == clock.now)
    }

    // MARK: - Resources

    private func statuses(
        _ server: JudgingServer, _ auth: some AuthorizationProvider, status: Int = 401, count: Int = 1
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<count {
            let response = try await auth.send(TestRequest("https://api.example.com/x")) {
                server.resource($0, refusal: status)
            }
            statuses.append(response.statusCode)
        }
        return statuses
    }

    @Test(arguments: [0.5, 3, 5, 5.5, 86_400, -3, -86_400], [400, 401])
    func `a resource with another clock costs one request`(offset: Double, status: Int) async throws {
        let server = server(behind: offset)
        let auth = RefreshableTokenAuthorization(service: service(server), token: try bound(), clock: clock)
        #expect(try await statuses(server, auth, status: status, count: 2) == [200, 200])
        #expect(server.log == ["invalid_dpop_proof", "ok", "ok"])
    }

    @Test func `a resource that refuses each proof gets two requests`() async throws {
        for offset in [0, 0.5, 600] {
            let server = server(behind: offset)
            server.refusals = .max
            let auth = RefreshableTokenAuthorization(service: service(server), token: try bound(), clock: clock)
            #expect(try await statuses(server, auth) == [401])
            #expect(server.log == ["invalid_dpop_proof", "invalid_dpop_proof"])
        }
    }

    @Test func `a nonce of a resource does not set the clock`() async throws {
        let server = server(behind: 0)
        (server.wantsNonce, server.date) = (true, "Sun, 06 Nov 1994 08:00:00 GMT")
        let auth = RefreshableTokenAuthorization(service: service(server), token: try bound(), clock: clock)
        #expect(try await statuses(server, auth, count: 2) == [200, 200])
        #expect(server.log == ["use_dpop_nonce", "ok", "ok"])
    }

    @Test func `a retry by hand has the corrected time, too`() async throws {
        let server = server(behind: 0.5, thinking: 0.4)
        let auth = RefreshableTokenAuthorization(service: service(server), token: try bound(), clock: clock)
        let request = TestRequest("https://api.example.com/x")
        let credential = try await auth.credential(for: request)
        var first = request
        try first.set(credential)
        #expect(try await credential.judge(server.resource(first, refusal: 401)) == .newProof)
        clock.advance(by: .milliseconds(400))
        // Another request does not take the time of this one.
        _ = try await TestRequest("https://api.example.com/y").authorized(using: auth)
        #expect(server.resource(try await request.authorized(using: auth), refusal: 401).statusCode == 200)
    }

    @Test func `a proof that is not sent leaves its corrected time to the next one`() async throws {
        let server = server(behind: 0.5, thinking: 0.4)
        let auth = RefreshableTokenAuthorization(service: service(server), token: try bound(), clock: clock)
        let request = TestRequest("https://api.example.com/x")
        let credential = try await auth.credential(for: request)
        var first = request
        try first.set(credential)
        #expect(try await credential.judge(server.resource(first, refusal: 401)) == .newProof)
        clock.advance(by: .milliseconds(400))
        try await auth.credential(for: request).withdraw()
        let queued = try await request.authorized(using: auth)
        #expect(server.resource(try await queued.authorized(using: auth), refusal: 401).statusCode == 200)
    }

    @Test func `a proof whose answer is not shown keeps its corrected time from the next request`() async throws {
        let server = server(behind: 0)
        let auth = RefreshableTokenAuthorization(service: service(server), token: try bound(), clock: clock)
        let request = TestRequest("https://api.example.com/x")
        for _ in 0..<2 {
            server.refusals = 1
            let response = try await auth.send(request, unauthorized: { $0.unauthorized }) {
                server.resource($0, refusal: 401)
            }
            #expect(response.statusCode == 200)
        }
        #expect(server.log == ["invalid_dpop_proof", "ok", "invalid_dpop_proof", "ok"])
    }
}

/// A server that judges the time and the nonce of proofs by its own clock, and nothing else.
private final class JudgingServer: TokenTransport, Sendable {
    /// 2026-11-25 12:00:00.8
    static let time = Date(timeIntervalSince1970: 1_795_608_000.8)

    private struct State {
        var log: [String] = []
        var wantsNonce = false
        var looksAtTimeFirst = false
        var isLenient = false
        var refusesClient = false
        var refusals = 0
        var date: String?
        var offset: Double
    }

    private let clock: ManualClock
    private let thinking: Double
    private let way: Double
    private let state: Lock<State>

    init(clock: ManualClock, behind offset: Double, thinking: Double, way: Double) {
        (self.clock, self.thinking, self.way) = (clock, thinking, way)
        state = Lock(State(offset: offset))
    }

    /// What became of each request.
    var log: [String] { state.withLock { $0.log } }
    /// Whether each proof needs the nonce `n1`.
    var wantsNonce: Bool {
        get { state.withLock { $0.wantsNonce } }
        set { state.withLock { $0.wantsNonce = newValue } }
    }
    var looksAtTimeFirst: Bool {
        get { state.withLock { $0.looksAtTimeFirst } }
        set { state.withLock { $0.looksAtTimeFirst = newValue } }
    }
    /// Whether any time is accepted.
    var isLenient: Bool {
        get { state.withLock { $0.isLenient } }
        set { state.withLock { $0.isLenient = newValue } }
    }
    /// Whether the client is refused before its proof is looked at.
    var refusesClient: Bool {
        get { state.withLock { $0.refusesClient } }
        set { state.withLock { $0.refusesClient = newValue } }
    }
    /// The number of proofs to refuse, whatever they are.
    var refusals: Int {
        get { state.withLock { $0.refusals } }
        set { state.withLock { $0.refusals = newValue } }
    }
    /// The `Date` of answers, if a proxy writes another one than the server; empty for none.
    var date: String? {
        get { state.withLock { $0.date } }
        set { state.withLock { $0.date = newValue } }
    }
    /// The number of seconds by which this server is behind the machine's clock.
    var offset: Double {
        get { state.withLock { $0.offset } }
        set { state.withLock { $0.offset = newValue } }
    }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        let (error, fields) = try judge(request["DPoP"] ?? "")
        let answer = #"{"access_token":"a","token_type":"DPoP","refresh_token":"r","active":true}"#
        return TokenResponse(
            statusCode: error == nil ? 200 : 400, fields: fields.map { (name: $0, value: $1) },
            body: Array((error.map { "{\"error\":\"\($0)\"}" } ?? answer).utf8))
    }

    func resource(_ request: TestRequest, refusal: Int) -> TestResponse {
        guard let (error, fields) = try? judge(request["DPoP"] ?? "") else { return TestResponse(500) }
        guard let error else { return TestResponse(200) }
        var response = [("WWW-Authenticate", "DPoP error=\"\(error)\"")] + fields
        while response.count < 3 { response.append(("X-Empty", "")) }
        return TestResponse(
            refusal,
            [response[0].0: response[0].1, response[1].0: response[1].1, response[2].0: response[2].1])
    }

    /// - Returns: the error of the proof, if it is refused, and the fields of the answer.
    private func judge(_ proof: String) throws -> (error: String?, fields: [(String, String)]) {
        struct Claims: Decodable {
            let iat: Double
            let nonce: String?
        }
        let claims = try proof.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode(String($0)) }.map {
            try JSONDecoder().decode(Claims.self, from: Data($0))
        }
        defer { clock.advance(by: .milliseconds(Int((thinking + way) * 1000))) }
        return state.withLock { state in
            let now = clock.now.timeIntervalSince1970 - state.offset
            let isUntimely = claims.map { !(0...2).contains(now - $0.iat) && !state.isLenient } ?? false
            let lacksNonce = claims.map { state.wantsNonce && $0.nonce != "n1" } ?? false
            state.refusals -= 1
            let error: String? =
                if state.refusesClient {
                    "invalid_client"
                } else if state.refusals >= 0 || (isUntimely && state.looksAtTimeFirst) {
                    "invalid_dpop_proof"
                } else if lacksNonce { "use_dpop_nonce" } else if isUntimely { "invalid_dpop_proof" } else { nil }
            state.log.append(error ?? "ok")
            var fields: [(String, String)] = []
            if state.date != "" { fields.append(("Date", state.date ?? Self.text(of: now + thinking))) }
            if error == "use_dpop_nonce" { fields.append(("DPoP-Nonce", "n1")) }
            return (error, fields)
        }
    }

    /// RFC 9110 §5.6.7.
    private static func text(of time: TimeInterval) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: time.rounded(.down)))
    }
}
#endif
