// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks that a client module of your own authorizes as the modules of this package do.
///
///     @Test func `my client authorizes`() async throws {
///         try await ClientChecks(followsRedirects: true) { request, provider, server in
///             let client = MyClient { try await server(TestRequest($0)).asMine }      // its transport is the server
///             return try await client.run(MyRequest(request), authorizedBy: provider).asTest
///         }.run()
///     }
///
/// The closure sends a request through the client, with a provider, to a server that the check plays. It passes each
/// request that the client sends to that function, and returns the last answer. No socket is needed.
///
/// The checks: the credential is set, and other fields stay; after a 401 there is one refresh, and the same request
/// once more; a second 401 is returned; a body that can be read once is sent once; a proof that was refused is made
/// anew; nothing is sent after a sign-out, as the person who signs in next, or by a cancelled task. Each credential
/// follows the one that was sent last, also for a new proof: the first may have had no session. If the client follows
/// redirects, no credential goes to another host, port or scheme, and a 401 from there refreshes nothing. A credential
/// for one request is made anew for a redirect within the origin, and follows the last one, too. After a redirect only
/// the refused request is sent again. A 307 or 308 for a body that can be read once is returned.
public struct ClientChecks: Sendable {
    /// Answers a request that the client sends.
    public typealias Server = nonisolated(nonsending) @Sendable (TestRequest) async throws -> TestResponse

    private let followsRedirects: Bool
    private let limit: Duration
    private let clock: any AuthorizationClock
    private let send: @Sendable (TestRequest, any AuthorizationProvider, @escaping Server) async throws -> TestResponse

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - followsRedirects: whether the client follows redirects.
    ///   - limit: how long each check may take; long, so that no check fails on a busy machine.
    ///   - clock: the clock for `limit`.
    ///   - send: sends a request through the client, with the provider, to the server; returns the last answer. A request
    ///     whose ``TestRequest/isReplayable`` is `false` has a body that can be read once.
    public init(
        followsRedirects: Bool, limit: Duration = .seconds(120), clock: any AuthorizationClock = .system,
        send:
            nonisolated(nonsending) @escaping @Sendable (
                TestRequest, any AuthorizationProvider, @escaping Server
            ) async throws -> TestResponse
    ) {
        (self.followsRedirects, self.limit, self.clock, self.send) = (followsRedirects, limit, clock, send)
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled.
    public func run() async throws { try await Check.run(checks, of: "the client", within: limit, of: clock) }

    private var checks: [Check] {
        let checks = [
            Check("sets the credential and leaves other fields alone") { try await checkCredential() },
            Check("sends again once after a 401") { try await checkRefusal() },
            Check("returns a second 401") { try await checkSecondRefusal() },
            Check("sends a body once that can be read once") { try await checkSingleBody() },
            Check("makes a proof anew that was refused") { try await checkProof() },
            Check("sends nothing after a sign-out") { try await checkSignedOut() },
            Check("sends nothing as the next person") { try await checkNextPerson() },
            Check("sends no new proof as the next person") { try await checkProofOfNextPerson() },
            Check("is bound to the credential that was sent last") { try await checkPersonAfterFirst() },
            Check("sends nothing when cancelled") { try await checkCancelled() },
        ]
        let redirects = [
            Check("takes no credential to another origin") { try await checkOtherOrigin() },
            Check("takes a refusal of another origin for no news") { try await checkOtherRefusal() },
            Check("makes a proof anew for a redirect") { try await checkProvenRedirect() },
            Check("follows no redirect as the next person") { try await checkRedirectOfNextPerson() },
            Check("sends only the refused request again after a redirect") { try await checkRefusedHop() },
            Check("returns a redirect of a body that can be read once") { try await checkSingleBodyRedirect() },
        ]
        return followsRedirects ? checks + redirects : checks
    }
}

// MARK: - The checks

extension ClientChecks {
    private static let origin = "https://api.example.com"
    private static let refusal = TestResponse(401, ["WWW-Authenticate": "Bearer error=\"invalid_token\""])

    private typealias Auth = RefreshableTokenAuthorization<TestToken>

    private func checkCredential() async throws {
        let seen = try await arrivals(of: TestRequest("\(Self.origin)/a", fields: ["X-Other": "1"]), .bearer("abc")) {
            _ in
            TestResponse()
        }
        try require(seen.count == 1, "sent \(seen.count) requests, not 1")
        try require(seen[0]["Authorization"] == "Bearer abc", "did not set the credential")
        try require(seen[0]["X-Other"] == "1" && seen[0].method == "GET", "changed another part of the request")
        try require(seen[0].url == "\(Self.origin)/a", "sent the request to \(seen[0].url)")
    }

    private func checkRefusal() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = Auth(service: service, token: TestToken("a"))
        let request = TestRequest("\(Self.origin)/a", method: "PUT", body: [1, 2])
        let seen = try await arrivals(of: request, auth, endsWith: 200) { Self.refusesA($0) }
        try require(seen.map { $0["Authorization"] } == ["Bearer a", "Bearer b"], "sent \(seen.count) requests, not 2")
        try require(
            seen.allSatisfy { $0.method == "PUT" && $0.body == [1, 2] }, "sent another request the second time")
        try require(service.calls == 1, "made \(service.calls) refreshes, not 1")
    }

    private func checkSecondRefusal() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = Auth(service: service, token: TestToken("a"))
        let seen = try await arrivals(of: TestRequest("\(Self.origin)/a"), auth, endsWith: 401) { _ in Self.refusal }
        try require(seen.count == 2, "sent \(seen.count) requests, not 2")
        try require(try await auth.validToken().name == "b", "refused the young token too")
    }

    private func checkSingleBody() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = Auth(service: service, token: TestToken("a"))
        let request = TestRequest("\(Self.origin)/a", method: "POST", body: [1], isReplayable: false)
        let seen = try await arrivals(of: request, auth, endsWith: 401) { Self.refusesA($0) }
        try require(seen.count == 1, "sent \(seen.count) requests, not 1")
        try require(try await auth.validToken().name == "b", "did not judge the answer that it returned")
    }

    private func checkProof() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = Auth(service: NumberedProofService(base: service), token: TestToken("a"))
        let seen = try await arrivals(of: TestRequest("\(Self.origin)/a"), auth, endsWith: 200) { request in
            request["X-Proof"] == "1" ? TestResponse(401, ["X-Proof-Error": "stale"]) : TestResponse()
        }
        try require(seen.map { $0["X-Proof"] } == ["1", "2"], "did not send again with a new proof")
        try require(service.calls == 0, "refreshed a good token")
    }

    private func checkSignedOut() async throws {
        let auth = Auth(service: ScriptedTokenService(), token: TestToken("a"))
        await auth.reset()
        try await requireNotAuthorized(.signedOut, after: 0, auth) { _ in TestResponse() }
    }

    private func checkNextPerson() async throws {
        let auth = Auth(service: ScriptedTokenService(), token: TestToken("a"))
        try await requireNotAuthorized(.sessionReplaced, after: 1, auth) { request in
            if request["Authorization"] == "Bearer a" { try await auth.setToken(TestToken("b")) }
            return Self.refusesA(request)
        }
    }

    private func checkProofOfNextPerson() async throws {
        let auth = Auth(service: NumberedProofService(base: ScriptedTokenService()), token: TestToken("a"))
        try await requireNotAuthorized(.sessionReplaced, after: 1, auth) { request in
            guard request["Authorization"] == "Bearer a" else { return TestResponse() }
            try await auth.setToken(TestToken("b"))
            return TestResponse(401, ["X-Proof-Error": "stale"])
        }
    }

    private func checkPersonAfterFirst() async throws {
        let auth = PersonAuthorization()
        try await requireNotAuthorized(.sessionReplaced, after: 2, auth) { request in
            auth.signIn(after: request) ? Self.refusal : TestResponse()
        }
    }

    private func checkCancelled() async throws {
        let arrived = Lock(0)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await send(TestRequest("\(Self.origin)/a"), .bearer("abc")) { _ in
                arrived.withLock { $0 += 1 }
                return TestResponse()
            }
        }
        let result = await task.result
        try require(arrived.withLock { $0 } == 0, "sent a request of a cancelled task")
        if case .success = result { throw CheckProblem("returned an answer in a cancelled task") }
    }

    private func checkOtherOrigin() async throws {
        for target in ["https://other.example.com/b", "\(Self.origin):8443/b", "http://api.example.com/b"] {
            for provider: any AuthorizationProvider in [.bearer("abc"), .header("X-API-Key", "key")] {
                try await checkRedirect(to: target, provider)
            }
        }
    }

    private func checkRedirect(to target: String, _ provider: any AuthorizationProvider) async throws {
        let field = provider is HeaderAuthorization ? "X-API-Key" : "Authorization"
        // A client may refuse to go from https to http.
        let mayStay = target.hasPrefix("http:")
        let request = TestRequest("\(Self.origin)/a")
        let seen = try await arrivals(of: request, provider, endsWith: 200, or: mayStay ? 302 : nil) { request in
            request.url.hasSuffix("/a") ? TestResponse(302, ["Location": target]) : TestResponse()
        }
        if mayStay, seen.count == 1 { return }
        try require(seen.count == 2, "sent \(seen.count) requests, not 2")
        try require(seen[1][field] == nil, "took the field \(field) to \(target)")
    }

    private func checkOtherRefusal() async throws {
        let auth = Auth(service: ScriptedTokenService(.token("b")), token: TestToken("a"))
        let seen = try await arrivals(of: TestRequest("\(Self.origin)/a"), auth, endsWith: 401) { request in
            request.url.hasSuffix("/a")
                ? TestResponse(302, ["Location": "https://other.example.com/b"]) : Self.refusal
        }
        try require(try await auth.validToken().name == "a", "refreshed the token after a 401 of another origin")
        try require(seen.count == 2, "sent \(seen.count) requests, not 2")
    }

    private func checkProvenRedirect() async throws {
        let auth = Auth(service: NumberedProofService(base: ScriptedTokenService()), token: TestToken("a"))
        let seen = try await arrivals(of: TestRequest("\(Self.origin)/a"), auth) { request in
            request.url.hasSuffix("/a") ? TestResponse(302, ["Location": "\(Self.origin)/b"]) : TestResponse()
        }
        try require(seen.map { $0["X-Proof"] } == ["1", "2"], "did not make a proof for each of two requests")
    }

    private func checkRedirectOfNextPerson() async throws {
        let auth = PersonAuthorization()
        try await requireNotAuthorized(.sessionReplaced, after: 2, auth) { request in
            guard auth.signIn(after: request) else { return TestResponse() }
            return request["Authorization"] == nil
                ? Self.refusal : TestResponse(302, ["Location": "\(Self.origin)/b"])
        }
    }

    private func checkRefusedHop() async throws {
        let auth = Auth(service: ScriptedTokenService(.token("b")), token: TestToken("a"))
        let request = TestRequest("\(Self.origin)/order", method: "POST", body: [1])
        let seen = try await arrivals(of: request, auth, endsWith: 200) { request in
            request.method == "POST"
                ? TestResponse(303, ["Location": "\(Self.origin)/order/1"]) : Self.refusesA(request)
        }
        try require(
            seen.map { "\($0.method) \($0["Authorization"] ?? "")" } == [
                "POST Bearer a", "GET Bearer a", "GET Bearer b",
            ],
            "sent \(seen.map(\.method).joined(separator: ", ")), not POST, GET, GET")
    }

    private func checkSingleBodyRedirect() async throws {
        let request = TestRequest("\(Self.origin)/a", method: "POST", body: [1], isReplayable: false)
        for status in [307, 308] {
            let seen = try await arrivals(of: request, .bearer("abc"), endsWith: status) { request in
                request.url.hasSuffix("/a") ? TestResponse(status, ["Location": "\(Self.origin)/b"]) : TestResponse()
            }
            try require(seen.count == 1, "sent \(seen.count) requests, not 1")
        }
    }

    // MARK: - Helpers

    private static func refusesA(_ request: TestRequest) -> TestResponse {
        request["Authorization"] == "Bearer a" ? refusal : TestResponse()
    }

    /// The requests that the client sends.
    private func arrivals(
        of request: TestRequest, _ provider: any AuthorizationProvider, endsWith status: Int = 200,
        or other: Int? = nil, _ server: @escaping Server
    ) async throws -> [TestRequest] {
        let seen = Lock<[TestRequest]>([])
        let response = try await send(request, provider) { request in
            seen.withLock { $0.append(request) }
            return try await server(request)
        }
        let isExpected = response.statusCode == status || response.statusCode == other
        try require(isExpected, "returned \(response.statusCode), not \(status)")
        return seen.withLock { $0 }
    }

    private func requireNotAuthorized(
        _ reason: NotAuthorized.Reason, after count: Int, _ provider: some AuthorizationProvider,
        _ server: @escaping Server
    ) async throws {
        let seen = Lock(0)
        do {
            let response = try await send(TestRequest("\(Self.origin)/a"), provider) { request in
                seen.withLock { $0 += 1 }
                return try await server(request)
            }
            throw CheckProblem("returned \(response.statusCode) and did not throw \"\(reason)\"")
        } catch let error as NotAuthorized {
            try require(error.reason == reason, "threw \"\(error.reason)\", not \"\(reason)\"")
        }
        try require(seen.withLock { $0 } == count, "sent \(seen.withLock { $0 }) requests, not \(count)")
    }
}

/// Numbers its proofs; a refused one is worth another try.
private struct NumberedProofService: RefreshableTokenService, RequestProof {
    let base: ScriptedTokenService<TestToken>
    private let count = Lock(0)

    init(base: ScriptedTokenService<TestToken>) { self.base = base }

    var proofFields: Set<String> { ["X-Proof"] }
    func proof(for token: TestToken) throws -> (any RequestProof)? { self }
    func refresh(_ token: TestToken) async throws -> TestToken { try await base.refresh(token) }

    @concurrent func fields(for request: ProvenRequest) async throws -> [String: String] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return ["X-Proof": "\(number)"]
    }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome {
        response.headerValues(for: "X-Proof-Error").isEmpty ? .settled : .newProofNeeded
    }
}

/// Names who is signed in. Before that, a request goes out as it is, and is bound to nobody.
private struct PersonAuthorization: AuthorizationProvider {
    let person = Lock<String?>(nil)

    /// After a request of nobody, `a` signs in, and after that one's, `b`.
    ///
    /// - Returns: whether somebody has signed in.
    func signIn(after request: TestRequest) -> Bool {
        let former = request["Authorization"]
        guard former != "Bearer b" else { return false }
        person.withLock { $0 = former == nil ? "Bearer a" : "Bearer b" }
        return true
    }

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let person = person.withLock { $0 }
        return try Credential(
            person.map { ["Authorization": $0] } ?? [:], isForOneRequest: true, receipt: PersonReceipt(person: person))
    }
}

private struct PersonReceipt: CredentialReceipt {
    let person: String?

    /// A person's refusal concerns the proof, so that a client that makes one refresh tries again.
    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        person == nil ? .anew : .newProof
    }

    func admit(_ next: Credential) throws {
        guard person == nil || next.fields.first?.value == person else { throw NotAuthorized(.sessionReplaced) }
    }
}
