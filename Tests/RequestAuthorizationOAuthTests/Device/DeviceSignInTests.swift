// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// The device authorization grant, RFC 8628.
@Suite(.timeLimit(.minutes(5))) struct DeviceSignInTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()

    // RFC 8628 §3.2.
    private static let authorization = """
        {"device_code":"GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS","user_code":"WDJB-MJHT",
         "verification_uri":"https://example.com/device",
         "verification_uri_complete":"https://example.com/device?user_code=WDJB-MJHT","expires_in":1800,"interval":5}
        """
    private static let token = #"{"access_token":"a","token_type":"Bearer","refresh_token":"r"}"#

    private func service(client: OAuthClient = .public(id: "1406020730")) -> OAuthTokenService {
        let server = AuthorizationServer(
            tokenEndpoint: URL(string: "https://server.example.com/token"),
            deviceAuthorizationEndpoint: URL(string: "https://server.example.com/device_authorization"))
        return .device(server: server, client: client, transport: transport, clock: clock)
    }

    private func begin(_ json: String = authorization) async throws -> DeviceSignIn {
        transport.append(.response(200, json: json))
        return try await service().deviceSignIn(scopes: ["example_scope"])
    }

    /// The server's answer to the next poll.
    private func answer(_ error: String, status: Int = 400) {
        transport.append(.response(status, json: #"{"error":"\#(error)"}"#))
    }

    private func failure(_ code: TokenTransportError.Code) {
        transport.append(.failure(TokenTransportError(code, delivery: .mayHaveBeenProcessed)))
    }

    /// Collects all steps, and advances the time by exactly each sleep.
    private func steps(
        of device: DeviceSignIn, then react: @escaping @Sendable (DeviceSignInStep) -> Void = { _ in }
    ) async -> (steps: [DeviceSignInStep], slept: [Duration], error: (any Error)?) {
        let steps = Lock<[DeviceSignInStep]>([])
        let task = Task {
            for try await step in device.progress {
                steps.withLock { $0.append(step) }
                react(step)
            }
        }
        let slept = Lock<[Duration]>([])
        let time = Task { [clock] in
            while !Task.isCancelled {
                await clock.sleepers(1)
                guard let pause = clock.sleeping.first else { continue }
                slept.withLock { $0.append(pause) }
                clock.advance(by: pause)
            }
        }
        let result = await task.result
        time.cancel()
        if case .failure(let error) = result { return (steps.withLock { $0 }, slept.withLock { $0 }, error) }
        return (steps.withLock { $0 }, slept.withLock { $0 }, nil)
    }

    // MARK: - The key

    #if Full
    @Test func `all polls prove one key, and the token is bound to it`() async throws {
        transport.append(.response(200, json: Self.authorization))
        let server = AuthorizationServer(
            tokenEndpoint: URL(string: "https://server.example.com/token"),
            deviceAuthorizationEndpoint: URL(string: "https://server.example.com/device_authorization"))
        let device = try await OAuthTokenService.device(
            server: server, client: .public(id: "tv"), proof: .dpop, transport: transport, clock: clock
        ).deviceSignIn(scopes: [])
        for _ in 0..<3 { answer("authorization_pending") }
        transport.append(.response(200, json: #"{"access_token":"a","token_type":"DPoP","refresh_token":"r"}"#))
        guard case .authorized(let token) = await steps(of: device).steps.last else {
            Issue.record("no token")
            return
        }
        let key = try #require(try token.proofKey?.thumbprint())
        let verifier = ProofVerifier(tolerance: 600) { [clock] in clock.now }
        for request in transport.requests.dropFirst() {
            _ = try verifier.verify(
                ProofSubject(method: request.method, url: request.url.absoluteString, fields: request.fields),
                boundTo: key)
        }
        #expect(transport.calls == 5)
        #expect(transport.requests.first?["DPoP"] == nil)
    }
    #endif

    // MARK: - The beginning

    @Test func `RFC 8628 §3.1 and §3.2: the examples of a request and its answer`() async throws {
        let device = try await begin()
        let request = try #require(transport.requests.first)
        #expect(request.url.absoluteString == "https://server.example.com/device_authorization")
        #expect(String(decoding: request.body, as: UTF8.self) == "client_id=1406020730&scope=example_scope")
        #expect(device.userCode == "WDJB-MJHT")
        #expect(device.verificationURI.absoluteString == "https://example.com/device")
        #expect(device.verificationURIComplete?.absoluteString == "https://example.com/device?user_code=WDJB-MJHT")
        #expect(device.host == "example.com")
        #expect(device.expiresAt == clock.now.addingTimeInterval(1800))
    }

    @Test func `RFC 8628 §3.4: the example of a token request`() async throws {
        let device = try await begin()
        transport.append(.response(200, json: Self.token))
        let (steps, slept, error) = await steps(of: device)
        #expect(error == nil)
        #expect(slept == [.seconds(5)])
        #expect(steps.first == .waiting(.seconds(5)))
        guard case .authorized(let token) = steps.last else { Issue.record("\(steps)"); return }
        #expect(token.scopes == ["example_scope"])
        let body = transport.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(
            body == "client_id=1406020730&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
                + "&device_code=GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS")
    }

    @Test func `RFC 8628 §3.1: nothing is sent before the caller begins, and no poll before the caller waits`()
        async throws
    {
        _ = service()
        #expect(transport.calls == 0)
        _ = try await begin()
        #expect(transport.calls == 1)
    }

    @Test func `RFC 8628 §3.3.1: the code and the host are always shown`() async throws {
        let instructions = try await begin().instructions
        #expect(instructions.contains("WDJB-MJHT"))
        #expect(instructions.contains("https://example.com/device (example.com)"))
    }

    @Test func `control and bidirectional characters do not reach a terminal`() async throws {
        let device = try await begin(
            #"{"device_code":"d","user_code":"AB\u001b[2J\u202eC\u2066D\u200f\u0007\r\n","expires_in":60,"#
                + #""verification_uri":"https://example.com/\u001b[2J\u202edevice"}"#)
        #expect(device.userCode == "AB[2JCD")
        let harmless = device.instructions.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }
        #expect(harmless, "\(device.instructions.debugDescription)")
    }

    @Test func `a long code does not flood a terminal`() async throws {
        let code = String(repeating: "A", count: 500)
        let device = try await begin(
            #"{"device_code":"d","user_code":"\#(code)","verification_uri":"https://e.example","expires_in":9}"#)
        #expect(device.userCode == String(repeating: "A", count: 100))
    }

    @Test func `Google's older name of the verification URI is read`() async throws {
        let device = try await begin(
            #"{"device_code":"d","user_code":"A","verification_url":"https://e.example/device","expires_in":9}"#)
        #expect(device.verificationURI.absoluteString == "https://e.example/device")
        let error = await #expect(throws: InvalidTokenResponse.self) {
            try await begin(
                #"{"device_code":"d","user_code":"A","verification_url":"http://e.example","expires_in":9}"#)
        }
        #expect(error?.field == "verification_url")
    }

    @Test(arguments: [
        (#"{"user_code":"A","verification_uri":"https://e.example","expires_in":9}"#, "device_code"),
        (#"{"device_code":"d","verification_uri":"https://e.example","expires_in":9}"#, "user_code"),
        (
            #"{"device_code":"d","user_code":"\u001b","verification_uri":"https://e.example","expires_in":9}"#,
            "user_code"
        ),
        (#"{"device_code":"d","user_code":"A","expires_in":9}"#, "verification_uri"),
        (
            #"{"device_code":"d","user_code":"A","verification_uri":"http://e.example","expires_in":9}"#,
            "verification_uri"
        ),
        (#"{"device_code":"d","user_code":"A","verification_uri":"javascript:x","expires_in":9}"#, "verification_uri"),
        (
            #"{"device_code":"d","user_code":"A","verification_uri":"https://good.example@e.example","expires_in":9}"#,
            "verification_uri"
        ),
        (#"{"device_code":"d","user_code":"A","verification_uri":"https://e.example"}"#, "expires_in"),
        (#"{"device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":-1}"#, "expires_in"),
        ("<html>", "body"),
    ])
    func `RFC 8628 §3.2: an answer without a required field is refused, and the error names it`(
        json: String, field: String
    ) async throws {
        let error = await #expect(throws: InvalidTokenResponse.self) { try await begin(json) }
        #expect(error?.field == field)
    }

    @Test func `an error inside a 200 is the server's refusal, not an unusable answer`() async throws {
        await #expect(throws: TokenEndpointError(status: 200, code: "unauthorized_client")) {
            try await begin(#"{"error":"unauthorized_client"}"#)
        }
    }

    @Test func `plain http is for this machine only, and a link with the code has the host that is shown`() async throws
    {
        let device = try await begin(
            #"{"device_code":"d","user_code":"A","expires_in":9,"verification_uri":"http://127.0.0.1:8080/device","#
                + #""verification_uri_complete":"https://evil.example/device?user_code=A"}"#)
        #expect(device.host == "127.0.0.1")
        #expect(device.verificationURIComplete == nil)
    }

    @Test func `a server without the endpoint is an error before anything is sent`() async throws {
        let service = OAuthTokenService.device(
            server: AuthorizationServer(), client: .public(id: "a"), transport: transport)
        let error = await #expect(throws: AuthorizationServerError.self) { try await service.deviceSignIn(scopes: []) }
        #expect(error?.problem == .missingEndpoint)
        #expect(transport.calls == 0)
    }

    // MARK: - The waiting

    @Test func `RFC 8628 §3.2: the interval is 5 seconds unless the server says otherwise`() async throws {
        let start = #"{"device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":1800"#
        for (end, seconds) in [
            ("}", 5), (#","interval":0}"#, 5), (#","interval":"7"}"#, 7), (#","interval":1}"#, 1),
            (#","interval":0.001}"#, 1),
        ] {
            let device = try await begin(start + end)
            transport.append(.response(200, json: Self.token))
            #expect(await steps(of: device).slept == [.seconds(seconds)])
        }
    }

    @Test func `RFC 8628 §3.5: pending waits the interval, slow_down adds 5 seconds for good`() async throws {
        let device = try await begin()
        for error in [
            "authorization_pending", "slow_down", "authorization_pending", "slow_down", "authorization_pending",
        ] {
            answer(error)
        }
        transport.append(.response(200, json: Self.token))
        let (steps, slept, error) = await steps(of: device)
        #expect(error == nil)
        #expect(slept == [5, 5, 10, 10, 15, 15].map { .seconds($0) })
        #expect(
            steps.dropLast() == [
                .waiting(.seconds(5)), .waiting(.seconds(5)), .slowedDown(.seconds(10)), .waiting(.seconds(10)),
                .slowedDown(.seconds(15)), .waiting(.seconds(15)),
            ])
    }

    @Test func `RFC 8628 §3.5: a time-out doubles the interval, for good`() async throws {
        let device = try await begin()
        failure(.timedOut)
        answer("authorization_pending")
        failure(.connectionLost)
        failure(.unreachable)
        transport.append(.response(503, json: ""))
        transport.append(.response(200, json: Self.token))
        let (steps, slept, error) = await steps(of: device)
        #expect(error == nil)
        #expect(slept == [5, 10, 10, 20, 40, 80].map { .seconds($0) })
        #expect(steps.dropFirst().first == .unanswered(.seconds(10)))
    }

    @Test func `RFC 9110 §10.2.3: Retry-After applies to the next poll, up to 5 minutes`()
        async throws
    {
        let device = try await begin()
        transport.append(.response(429, json: "", fields: ["Retry-After": "120"]))
        answer("authorization_pending")
        transport.append(.response(503, json: "", fields: ["Retry-After": "86400"]))
        answer("slow_down")
        transport.append(.response(429, json: "", fields: ["Retry-After": "1"]))
        transport.append(.response(200, json: Self.token))
        let (steps, slept, error) = await steps(of: device)
        #expect(error == nil)
        #expect(slept == [5, 120, 10, 300, 25, 50].map { .seconds($0) })
        #expect(
            steps.dropFirst().prefix(3) == [
                .unanswered(.seconds(120)), .waiting(.seconds(10)), .unanswered(.seconds(300)),
            ])
    }

    @Test func `cancelling ends a wait that Retry-After asked for`() async throws {
        let device = try await begin()
        transport.append(.response(429, json: "", fields: ["Retry-After": "300"]))
        let task = Task { try await device.token() }
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        await transport.calls(atLeast: 2)
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.calls == 2)
    }

    @Test func `a failing server or a page that is not OAuth ends no sign-in: the interval doubles`()
        async throws
    {
        let device = try await begin()
        answer("temporarily_unavailable", status: 503)
        answer("access_denied", status: 500)
        answer("authorization_pending")
        transport.append(.response(429, json: #"{"error":"rate_limited"}"#, fields: ["Retry-After": "90"]))
        transport.append(.response(403, json: "<html>Firewall</html>"))
        answer("temporarily_unavailable")
        transport.append(.response(200, json: Self.token))
        let (steps, slept, error) = await steps(of: device)
        #expect(error == nil)
        #expect(slept == [5, 10, 20, 20, 90, 80, 160].map { .seconds($0) })
        #expect(
            steps.dropFirst().dropLast() == [
                .unanswered(.seconds(10)), .unanswered(.seconds(20)), .waiting(.seconds(20)),
                .unanswered(.seconds(90)), .unanswered(.seconds(80)), .unanswered(.seconds(160)),
            ])
    }

    private static let pages: [(status: Int, body: String)] = [
        (200, "<html>Hotel</html>"), (200, ""), (302, ""), (400, ""), (401, ""), (403, "[]"), (404, "Not Found"),
        (400, #"{"error":{"code":7}}"#), (418, "{}"), (200, String(repeating: "[", count: 99)),
    ]

    @Test(arguments: pages)
    func `after a page that is not OAuth the server is polled again`(status: Int, body: String) async throws {
        let device = try await begin()
        transport.append(.response(status, json: body))
        transport.append(.response(200, json: Self.token))
        let (steps, slept, error) = await steps(of: device)
        #expect(error == nil)
        #expect(slept == [5, 10].map { .seconds($0) })
        #expect(steps.count == 3)
    }

    @Test(arguments: [TokenTransportError.Code.responseTooLong, .unreadableHeader])
    func `after a page that is too long the server is polled again`(code: TokenTransportError.Code) async throws {
        let device = try await begin()
        failure(code)
        transport.append(.response(200, json: Self.token))
        #expect(await steps(of: device).slept == [5, 10].map { .seconds($0) })
    }

    private static let failures: [any Error & Sendable] = [
        CountingAuthenticator.Refusal(), WorkloadIdentityError(.missing, source: "/var/run/token"), Busy(),
    ]

    /// The vault with the client's key asks to come back later.
    private struct Busy: TokenServiceFailure {
        let kind = TokenFailureKind.transient
        let session = "s3cret"
    }

    @Test(arguments: failures.indices)
    func `after a failure of the client's authenticator the server is polled again`(index: Int) async throws {
        let authenticator = CountingAuthenticator()
        transport.append(.response(200, json: Self.authorization), .response(200, json: Self.token))
        let device = try await OAuthTokenService.device(
            server: .make(), client: .public(id: "tv"), authentication: authenticator, transport: transport,
            clock: clock
        ).deviceSignIn(scopes: [])
        authenticator.refuse(with: Self.failures[index])
        let (steps, slept, error) = await steps(of: device) { step in
            if case .unanswered = step { authenticator.refuse(with: nil) }
        }
        #expect(error == nil && transport.calls == 2)
        #expect(slept == [5, 10].map { .seconds($0) })
        #expect(steps.count == 3)
    }

    @Test func `pages that are not OAuth end with the code, and the error says what was received`()
        async throws
    {
        let device = try await begin(
            #"{"device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":20}"#)
        answer("authorization_pending")
        transport.append(.response(403, json: "<html>"))
        let (_, slept, error) = await steps(of: device)
        #expect(slept == [5, 5, 10].map { .seconds($0) })
        let expired = try #require(error as? SignInError)
        #expect(expired.kind == .expired)
        #expect(expired.description.contains("403"))
    }

    @Test func `the end names the type of the authenticator's own error, whose text may hold a secret`() async throws {
        let authenticator = CountingAuthenticator()
        transport.append(
            .response(
                200,
                json: #"{"device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":20}"#))
        let device = try await OAuthTokenService.device(
            server: .make(), client: .public(id: "tv"), authentication: authenticator, transport: transport,
            clock: clock
        ).deviceSignIn(scopes: [])
        authenticator.refuse(with: Busy())
        let expired = try #require((await steps(of: device)).error as? SignInError)
        #expect(expired.kind == .expired && expired.description.hasSuffix("failed: Busy"))
        #expect(!expired.description.contains("s3cret"))
    }

    /// Some servers send errors with the status 200.
    @Test(arguments: [200, 400])
    func `RFC 9110 §10.2.3: Retry-After applies to pending and slow_down too`(status: Int) async throws {
        let device = try await begin()
        let fields: KeyValuePairs = ["Retry-After": "60"]
        transport.append(.response(status, json: #"{"error":"slow_down"}"#, fields: fields))
        answer("authorization_pending", status: status)
        transport.append(.response(status, json: #"{"error":"authorization_pending"}"#, fields: fields))
        transport.append(.response(200, json: Self.token))
        let (steps, slept, _) = await steps(of: device)
        #expect(slept == [5, 60, 10, 60].map { .seconds($0) })
        #expect(
            steps.dropFirst().dropLast() == [.slowedDown(.seconds(60)), .waiting(.seconds(10)), .waiting(.seconds(60))])
    }

    @Test(arguments: ["invalid_grant", "invalid_client", "unsupported_grant_type", "server_error", "something_else"])
    func `RFC 8628 §3.5: any other error stops`(code: String) async throws {
        let device = try await begin()
        answer(code)
        let (steps, _, error) = await steps(of: device)
        #expect((error as? TokenEndpointError)?.code == code)
        #expect(steps == [.waiting(.seconds(5))])
        #expect(transport.calls == 2)
    }

    @Test(arguments: [
        ("access_denied", SignInError.Kind.denied), ("authorization_declined", .denied), ("expired_token", .expired),
    ])
    func `RFC 8628 §3.5: a denial and an expiry have their own errors`(code: String, kind: SignInError.Kind)
        async throws
    {
        let device = try await begin()
        answer(code)
        let error = await steps(of: device).error as? SignInError
        #expect(error?.kind == kind && error?.code == code)
    }

    @Test func `a certificate that is not accepted, and a success that cannot be used, stop`() async throws {
        var device = try await begin()
        failure(.insecure)
        #expect((await steps(of: device).error as? TokenTransportError)?.code == .insecure)
        device = try await begin()
        transport.append(.response(200, json: #"{"access_token":7}"#))
        #expect((await steps(of: device).error as? InvalidTokenResponse)?.field == "access_token")
    }

    @Test func `RFC 8628 §3.2: no poll is sent after the code has expired`() async throws {
        let device = try await begin(
            #"{"device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":12}"#)
        answer("authorization_pending")
        answer("authorization_pending")
        let (_, slept, error) = await steps(of: device)
        #expect((error as? SignInError)?.kind == .expired)
        #expect(slept == [5, 5, 2].map { .seconds($0) })
        #expect(transport.calls == 3)
    }

    @Test func `the end does not move when the wall clock is set`() async throws {
        let device = try await begin(
            #"{"device_code":"d","user_code":"A","verification_uri":"https://e.example","expires_in":12}"#)
        clock.setWallClock(to: .distantPast)
        answer("authorization_pending")
        answer("authorization_pending")
        #expect(await steps(of: device).slept == [5, 5, 2].map { .seconds($0) })
    }

    @Test func `cancelling ends the waiting at once`() async throws {
        let device = try await begin()
        let task = Task { try await device.token() }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.calls == 1)
    }

    @Test func `a token that is granted while the task is cancelled is revoked`() async throws {
        transport.append(.response(200, json: Self.authorization), .held)
        let device = try await OAuthTokenService.device(
            server: .make(), client: .public(id: "tv"), transport: transport, clock: clock
        ).deviceSignIn(scopes: [])
        let task = Task { try await device.token() }
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        let poll = try await transport.nextCall()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        transport.append(.response(200, json: ""), .response(200, json: ""))
        try #require(poll.succeed(TokenResponse(statusCode: 200, body: Array(Self.token.utf8))))
        await transport.calls(atLeast: 4)
        #expect(transport.requests.suffix(2).map(\.url.lastPathComponent) == ["revoke", "revoke"])
        #expect(transport.requests[2].text.contains("token=r&"))
    }

    @Test func `a sign-in can be awaited once, so that the server is not polled twice as often`() async throws {
        let device = try await begin()
        let task = Task { try await device.token() }
        await clock.sleepers(1)
        await #expect(throws: SignInError(.alreadyUsed)) {
            // The first step would need no wait.
            var other = device.progress.makeAsyncIterator()
            _ = try await other.next()
        }
        transport.append(.response(200, json: Self.token))
        clock.advance(by: .seconds(5))
        #expect(try await task.value.accessToken == "a")
    }
}
