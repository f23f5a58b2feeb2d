// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tokens that need a proof for each request.
@Suite(.timeLimit(.minutes(5))) struct ProofSendTests {
    private let service = ScriptedTokenService<TestToken>(.token("b"), .token("c"))
    private let book = ProofBook()

    private var auth: RefreshableTokenAuthorization<TestToken> {
        RefreshableTokenAuthorization(service: ProvingTokenService(service, book: book), token: TestToken("a"))
    }

    private static func wants(_ nonce: String, status: Int = 401) -> ScriptStep<TestRequest, TestResponse> {
        .response(status, ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\"", "DPoP-Nonce": nonce])
    }
    private static let wantsNonce = wants("n1")
    private static let wantsNext = wants("n2")
    private static let refusal = ScriptStep<TestRequest, TestResponse>.response(
        401, ["WWW-Authenticate": "DPoP error=\"invalid_token\""])

    private func send(
        _ provider: some AuthorizationProvider, _ request: TestRequest = TestRequest("https://api.example.com/x?y=1"),
        refreshCount: Int = 1, isReplayable: Bool? = nil,
        over transport: ScriptedTransport<TestRequest, TestResponse>
    ) async throws -> TestResponse {
        try await provider.send(request, refreshCount: refreshCount, isReplayable: isReplayable) {
            try await transport.send($0)
        }
    }

    @Test func `each request has the same credential and a proof of its own`() async throws {
        let transport = ScriptedTransport<TestRequest, TestResponse>(forever: .response(200))
        let auth = auth
        _ = try await send(auth, over: transport)
        _ = try await send(auth, TestRequest("https://api.example.com/x#part", method: "PUT"), over: transport)
        #expect(transport.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a"])
        #expect(
            transport.requests.map { $0["DPoP"] } == [
                "1 GET https://api.example.com/x?y=1 -", "2 PUT https://api.example.com/x -",
            ])
    }

    @Test func `a 401 for the proof alone gets a new proof: no refresh, and no counted retry`()
        async throws
    {
        let transport = ScriptedTransport(Self.wantsNonce, .response(200), Self.refusal, Self.wantsNext, .response(200))
        let auth = auth
        #expect(try await send(auth, refreshCount: 0, over: transport).statusCode == 200)
        #expect(service.calls == 0)
        #expect(transport.requests.map { $0["DPoP"]?.last } == ["-", "1"])
        #expect(try await send(auth, over: transport).statusCode == 200)
        #expect(transport.requests.map { $0["Authorization"]?.last } == ["a", "a", "a", "b", "b"])
        #expect(transport.requests.last?["DPoP"]?.hasSuffix(" n2") == true)
        #expect(service.calls == 1)
    }

    @Test func `a request with a new proof or token is reported as sent again, a new connection is not`() async throws {
        let auth = auth
        let request = TestRequest("https://api.example.com/x")
        let (first, second) = (try await auth.credential(for: request), try await auth.credential(for: request))
        var events = auth.events.makeAsyncIterator()
        try first.admit(second)
        let wantsNonce = TestResponse(401, ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\"", "DPoP-Nonce": "n1"])
        #expect(try await first.judge(wantsNonce) == .newProof)
        try first.admit(second)
        let refusal = TestResponse(401, ["WWW-Authenticate": "DPoP error=\"invalid_token\""])
        #expect(try await second.judge(refusal) == .anew)
        try second.admit(try await auth.credential(for: request))
        var kinds: [AuthorizationEvent.Kind] = []
        while kinds.count(where: { $0 == .requestRetried }) < 2, let event = await events.next() {
            kinds.append(event.kind)
        }
        #expect(kinds.prefix(2) == [.requestRetried, .unauthorized])
    }

    @Test func `a proof that ignores cancellation keeps no cancelled request waiting`() async throws {
        let proof = DeafProof()
        let auth = RefreshableTokenAuthorization(service: DeafTokenService(proof: proof), token: TestToken("a"))
        let request = Task { try await auth.credential(for: TestRequest("https://api.example.com")) }
        var calls = proof.calls.makeAsyncIterator()
        let call = try #require(await calls.next())
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        // The proof ends later, and the next request gets one of its own.
        call.resume(returning: ["DPoP": "late"])
        async let next = auth.credential(for: TestRequest("https://api.example.com"))
        try #require(await calls.next()).resume(returning: ["DPoP": "new"])
        #expect(try await next.fields.map(\.value) == ["Bearer a", "new"])
    }

    @Test(arguments: [(true, NotAuthorized.Reason.sessionReplaced), (false, .signedOut)])
    func `a request that waits for its proof gets no token of a session that ends meanwhile`(
        isReplaced: Bool, reason: NotAuthorized.Reason
    ) async throws {
        let proof = LateProof()
        let auth = RefreshableTokenAuthorization(service: proof, token: TestToken("a"))
        let work: @Sendable () async throws -> Void = { [weak auth] in
            await auth?.reset()
            if isReplaced { try await auth?.setToken(TestToken("b")) }
        }
        proof.work.fulfill(with: .success(work))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.credential(for: TestRequest()) }
        #expect(error?.reason == reason)
        // Nobody waits for an answer to the proof, which is not sent.
        #expect(proof.withdrawals.count == 1)
    }

    @Test func `a resource that asks for another nonce each time gets four requests for each credential`() async throws
    {
        let transport = ScriptedTransport(
            Self.wants("n1"), Self.wants("n2"), .response(200), Self.wants("n3"), Self.wants("n4"), Self.wants("n5"),
            Self.wants("n6"), Self.wants("n7"), Self.refusal, Self.wants("n8"), Self.wants("n9"), Self.wants("m1"),
            Self.wants("m2"))
        let auth = auth
        #expect(try await send(auth, refreshCount: 0, over: transport).statusCode == 200)
        #expect(try await send(auth, refreshCount: 0, over: transport).statusCode == 401)
        #expect(transport.requests.map { $0["DPoP"]?.suffix(2) } == [" -", "n1", "n2", "n2", "n3", "n4", "n5"])
        #expect(service.calls == 0)
        // Refused for its nonce, then for its token: the new token has four tries of its own.
        #expect(try await send(auth, over: transport).statusCode == 401)
        #expect(transport.requests.dropFirst(7).map { $0["Authorization"]?.last } == ["a", "a", "b", "b", "b", "b"])
        #expect(service.calls == 1)
    }

    @Test func `a 400 that asks for a nonce gets a new proof, and any other 400 is returned`() async throws {
        let transport = ScriptedTransport(
            Self.wants("n1", status: 400), .response(200), Self.wants("n1", status: 400),
            // The body may ask for a nonce. It is not read, and the nonce is used next.
            .response(400, ["DPoP-Nonce": "n5"]), .response(200),
            .response(400, ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\""]))
        let auth = auth
        for status in [200, 400, 400, 200, 400] {
            #expect(try await send(auth, refreshCount: 1, over: transport).statusCode == status)
        }
        #expect(transport.requests.map { $0["DPoP"]?.suffix(2) } == [" -", "n1", "n1", "n1", "n5", "n5"])
        #expect(service.calls == 0)
    }

    @Test func `a client that reports refusals only gets a new proof after a 400, too`() async throws {
        let transport = ScriptedTransport(Self.wants("n1", status: 400), .response(200))
        let response = try await auth.send(TestRequest(), unauthorized: { $0.unauthorized }) {
            try await transport.send($0)
        }
        #expect(response.statusCode == 200 && transport.calls == 2)
        #expect(service.calls == 0)
    }

    /// A resource that wants proofs, and a token without one.
    @Test func `a 400 that asks for a nonce does not concern a credential without proofs`() async throws {
        let bearer = RefreshableTokenAuthorization(service: service, token: TestToken("a"))
        for provider: any AuthorizationProvider in [bearer, .bearer("a"), Forwarding(provider: bearer)] {
            let transport = ScriptedTransport<TestRequest, TestResponse>(forever: Self.wants("n1", status: 400))
            #expect(try await send(provider, over: transport).statusCode == 400)
            #expect(transport.calls == 1)
            let refusal = try #require(
                TestResponse(
                    400, ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\"", "DPoP-Nonce": "n1"]
                ).unauthorized)
            let error = await #expect(throws: NotAuthorized.self) {
                let request = try await TestRequest().authorized(using: provider)
                try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
            }
            #expect(error?.isEndOfSession == false)
        }
        #expect(service.calls == 0)
    }

    @Test func `a server that asks for the nonce that it refused gets two requests, and its answer is returned`()
        async throws
    {
        let transport = ScriptedTransport<TestRequest, TestResponse>(forever: Self.wantsNonce)
        #expect(try await send(auth, refreshCount: 5, over: transport).statusCode == 401)
        #expect(transport.calls == 2)
        #expect(service.calls == 0)
    }

    @Test func `a refusal of the proof that no new proof can mend begins no refresh`() async throws {
        let transport = ScriptedTransport<TestRequest, TestResponse>(
            forever: .response(401, ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\""]))
        let auth = auth
        var events = auth.events.makeAsyncIterator()
        #expect(try await send(auth, over: transport).statusCode == 401)
        let event = await events.next()
        #expect(event?.kind == .proofAnswerIgnored && event?.error is NoNonce)
        #expect(await events.next()?.kind == .unauthorized)
        #expect(transport.calls == 1)
        #expect(service.calls == 0)
        let request = try #require(transport.requests.first)
        let error = await #expect(throws: NotAuthorized.self) {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(
                UnauthorizedResponse(fields: ["WWW-Authenticate": ["DPoP error=\"use_dpop_nonce\""]]), for: request)
        }
        #expect(error?.reason == .proofRefused && error?.underlying is NoNonce)
        #expect(error?.isEndOfSession == false)
    }

    @Test func `a body that can be read once is not sent again, and the next request has the nonce`() async throws {
        let transport = ScriptedTransport(Self.wantsNonce, .response(200))
        let auth = auth
        #expect(try await send(auth, isReplayable: false, over: transport).statusCode == 401)
        #expect(transport.calls == 1)
        #expect(try await send(auth, isReplayable: false, over: transport).statusCode == 200)
        #expect(transport.requests.last?["DPoP"]?.hasSuffix(" n1") == true)
        #expect(service.calls == 0)
    }

    @Test func `the nonce of any answer is used next`() async throws {
        let transport = ScriptedTransport(
            .response(200, ["DPoP-Nonce": "n1"]), .response(404, ["DPoP-Nonce": "n2"]), .response(200))
        let auth = auth
        for _ in 0..<3 { _ = try await send(auth, over: transport) }
        #expect(transport.requests.map { $0["DPoP"]?.split(separator: " ").last } == ["-", "n1", "n2"])
        #expect(book.statuses == [200, 404, 200])
    }

    @Test func `a nonce that cannot stand in a proof is ignored, with an event`() async throws {
        let transport = ScriptedTransport<TestRequest, TestResponse>(forever: .response(200, ["DPoP-Nonce": "none"]))
        let auth = auth
        var events = auth.events.makeAsyncIterator()
        #expect(try await send(auth, over: transport).statusCode == 200)
        let event = await events.next()
        #expect(event?.kind == .proofAnswerIgnored && event?.error is NoNonce)
    }

    @Test(arguments: [("use_dpop_nonce", nil), ("invalid_token", "none")] as [(String, String?)])
    func `a hand-made loop reports what cannot stand in a proof, too`(code: String, nonce: String?) async throws {
        let auth = auth
        var events = auth.events.makeAsyncIterator()
        let request = try await TestRequest().authorized(using: auth)
        let refusal = UnauthorizedResponse(
            fields: ["WWW-Authenticate": ["DPoP error=\"\(code)\""], "DPoP-Nonce": nonce.map { [$0] } ?? []])
        // After a refusal of the proof this throws, after one of the token it does not.
        try? await auth.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
        let event = await events.next()
        #expect(event?.kind == .proofAnswerIgnored && event?.error is NoNonce)
        #expect(await events.next()?.kind == .unauthorized)
    }

    @Test func `a client that reports only 401s can use the nonces of its 401s`() async throws {
        let transport = ScriptedTransport(Self.wantsNonce, .response(200, ["DPoP-Nonce": "n5"]), .response(200))
        let auth = auth
        for _ in 0..<2 {
            let (response, _) = try await auth.send(TestRequest(), unauthorized: { $0.0.unauthorized }) {
                (try await transport.send($0), 1)
            }
            #expect(response.statusCode == 200)
        }
        // The nonce of the 200 was not reported, and nobody waits for that answer.
        #expect(transport.requests.map { $0["DPoP"]?.split(separator: " ").last } == ["-", "n1", "n1"])
        #expect(book.withdrawn == ["2 GET https://api.example.com/ n1", "3 GET https://api.example.com/ n1"])
    }

    @Test func `a request without method or URI is refused, and so is a field that was not named`()
        async throws
    {
        let auth = auth
        let bare = FakeRequest(targetURI: nil)
        let error = await #expect(throws: NotAuthorized.self) { try await bare.authorized(using: auth) }
        #expect(error?.reason == .malformedCredential)
        let stray = RefreshableTokenAuthorization(service: StrayProof(), token: TestToken("a"))
        let other = await #expect(throws: NotAuthorized.self) { try await TestRequest().authorized(using: stray) }
        #expect(other?.reason == .malformedCredential)
    }

    @Test func `a proof with two spellings of one field is refused`() async throws {
        let service = StrayProof(made: ["DPoP": "1", "dpop": "2"])
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"))
        let error = await #expect(throws: NotAuthorized.self) { try await TestRequest().authorized(using: auth) }
        #expect(error?.reason == .malformedCredential && error?.detail?.contains("differ in the case") == true)
    }

    @Test func `a session that a sibling replaces between answer and proof is not used`() async throws {
        let store = InMemorySharedTokenStore(
            StoredToken(.token(TestToken("a")), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now)
        )
        let auth = RefreshableTokenAuthorization(service: ProvingTokenService(service, book: book), store: store)
        let sibling = RefreshableTokenAuthorization(service: ScriptedTokenService(), store: store.sibling())
        let transport = ScriptedTransport(Self.wantsNonce, .response(200))
        let error = await #expect(throws: NotAuthorized.self) {
            try await auth.send(
                TestRequest(), refreshCount: 1, isReplayable: nil, head: { $0 },
                discard: { _ in
                    try? await sibling.signIn { TestToken("other") }
                    for await change in auth.tokenChanges {
                        if case .tokenUpdated(let token) = change, token.name == "other" { break }
                    }
                }
            ) { try await transport.send($0) }
        }
        #expect(error?.reason == .sessionReplaced)
        #expect(transport.calls == 1)
    }

    @Test func `nobody waits for the answer to a proof that another person's session does not admit`() async throws {
        let auth = auth
        let request = TestRequest("https://api.example.com/")
        let first = try await auth.credential(for: request)
        try await auth.setToken(TestToken("other"))
        let (second, third) = (try await auth.credential(for: request), try await auth.credential(for: request))
        #expect(throws: NotAuthorized.self) { try first.admit(second) }
        #expect(throws: NotAuthorized.self) { try first.allowsToGoOn(with: third) }
        try second.admit(third)
        #expect(book.withdrawn == ["2 GET https://api.example.com/ -", "3 GET https://api.example.com/ -"])
    }

    @Test func `a client that sends again by itself does not go on with a proof of another provider`() async throws {
        let request = TestRequest()
        let (first, other) = (auth, RefreshableTokenAuthorization(service: service, token: TestToken("other")))
        let proven = try await first.credential(for: request)
        try await proven.awaitSuccessor(for: request, from: first)
        let error = await #expect(throws: NotAuthorized.self) {
            try await proven.awaitSuccessor(for: request, from: other)
        }
        #expect(error?.reason == .sessionReplaced)
        #expect(book.proofs == 1)
    }

    @Test func `a proven credential is for one request, and current while its token is`() async throws {
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(
            service: ProvingTokenService(service, book: book),
            token: TestToken("a", expiresAt: clock.now + 3600), clock: clock)
        let request = TestRequest("https://api.example.com/x")
        #expect(try auth.credentialAtHand(for: request) == nil)
        let credential = try await auth.credential(for: request)
        #expect(credential.isForOneRequest && credential.wantsEveryAnswer && credential.isCurrent)
        #expect(credential.fields.map(\.name) == ["Authorization", "DPoP"])
        #expect(credential.fields.last?.value == "1 GET https://api.example.com/x -")
        clock.advance(by: .seconds(3600))
        #expect(!credential.isCurrent)
    }

    @Test(arguments: [false, true])
    func `a token that cannot leave its device is refused with a store that devices share`(isShared: Bool) async throws
    {
        let stored = StoredToken(
            .token(DeviceToken()), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now)
        let auth = RefreshableTokenAuthorization(
            service: DeviceTokenService(), store: DeviceStore(isSharedBetweenDevices: isShared, stored: stored))
        guard isShared else {
            #expect(try await TestRequest().authorized(using: auth)["Authorization"] == "Bearer bound")
            return
        }
        let error = await #expect(throws: NotAuthorized.self) { try await TestRequest().authorized(using: auth) }
        #expect(error?.reason == .malformedCredential)
    }

    // MARK: - Providers that forward

    private static let forwarders: [@Sendable (any AuthorizationProvider) -> any AuthorizationProvider] = [
        { $0.restricted(to: "https://api.example.com") },
        { OriginAuthorization(["https://api.example.com": $0]) },
        { OriginAuthorization([:], elsewhere: .use($0)) },
        { $0.restricted(to: "https://api.example.com").restricted(to: "https://api.example.com") },
        { Forwarding(provider: $0) },
    ]

    @Test func `a provider that forwards to another one forwards answers and proofs`() async throws {
        for forward in Self.forwarders {
            let book = ProofBook()
            let auth = RefreshableTokenAuthorization(
                service: ProvingTokenService(service, book: book), token: TestToken("a"))
            let transport = ScriptedTransport(Self.wantsNonce, .response(200, ["DPoP-Nonce": "n3"]), .response(200))
            let provider = forward(auth)
            for _ in 0..<2 { #expect(try await send(provider, over: transport).statusCode == 200) }
            #expect(transport.requests.map { $0["DPoP"]?.split(separator: " ").last } == ["-", "n1", "n3"])
        }
        #expect(service.calls == 0)
    }

    @Test func `a client that sends again by itself makes no proof in vain, whoever stands before the maker`()
        async throws
    {
        var ways = Self.forwarders.map { (request: TestRequest("https://api.example.com/x"), provider: $0(auth)) }
        let inside = auth.restricted(to: "http://ledger.internal:8080", allowingPlaintext: true)
        ways.append((TestRequest("http://ledger.internal:8080/x", method: "POST"), Forwarding(provider: inside)))
        for (request, provider) in ways {
            let proven = try await provider.credential(for: request)
            try await proven.awaitSuccessor(for: request, from: provider)
        }
        #expect(book.proofs == ways.count)
    }

    @Test func `a hand-made loop makes no proof that nobody sends, whoever stands before the maker`() async throws {
        for (number, forward) in Self.forwarders.enumerated() {
            let provider = forward(auth)
            let request = try await TestRequest("https://api.example.com/x").authorized(using: provider)
            let refusal = UnauthorizedResponse(
                fields: ["WWW-Authenticate": ["DPoP error=\"use_dpop_nonce\""], "DPoP-Nonce": ["n\(number)"]])
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
        }
        #expect(book.proofs == Self.forwarders.count && service.calls == 0)
    }

    @Test func `plain http that is allowed by name gets a proof too`() async throws {
        let transport = ScriptedTransport(Self.wantsNonce, .response(200))
        let provider = auth.restricted(to: "http://ledger.internal:8080", allowingPlaintext: true)
        let request = TestRequest("http://ledger.internal:8080/a", method: "POST")
        #expect(try await send(provider, request, over: transport).statusCode == 200)
        #expect(transport.requests.last?["DPoP"] == "2 POST http://ledger.internal:8080/a n1")
    }

    @Test func `an answer of another origin is not shown to the provider`() async throws {
        let transport = ScriptedTransport<TestRequest, TestResponse>(.response(200, ["DPoP-Nonce": "n1"]))
        let provider = auth.restricted(to: "https://api.example.com", elsewhere: .passThrough)
        _ = try await send(provider, TestRequest("https://other.example.com/"), over: transport)
        #expect(book.statuses.isEmpty && book.proofs == 0)
    }
}

/// A token whose key cannot leave the device.
private struct DeviceToken: AuthorizationToken {
    var authorizationHeaderValue: String { "Bearer bound" }
    var isBoundToDevice: Bool { true }
}

private struct DeviceTokenService: RefreshableTokenService {
    func refresh(_ token: DeviceToken) async throws -> DeviceToken { token }
}

private struct DeviceStore: TokenStore {
    let isSharedBetweenDevices: Bool
    let stored: StoredToken<DeviceToken>?

    func load() async throws -> StoredToken<DeviceToken>? { stored }
    func save(_ stored: StoredToken<DeviceToken>) async throws {}
    func clear() async throws {}
}

/// Forwards to another provider, as a user's provider would.
private struct Forwarding: AuthorizationProvider {
    let provider: any AuthorizationProvider

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try await provider.credential(for: request).adding("tenant", in: "X-Tenant")
    }
}

/// Sets a field that it has not named, or the fields of a test.
private struct StrayProof: RefreshableTokenService, RequestProof {
    var made = ["X-Stray": "1"]
    var proofFields: Set<String> { ["DPoP"] }
    func proof(for token: TestToken) throws -> (any RequestProof)? { self }
    func refresh(_ token: TestToken) async throws -> TestToken { token }

    @concurrent
    func fields(for request: ProvenRequest) async throws -> [String: String] { made }
    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome { .settled }
}

/// Does what a test wants before it has made a proof.
private struct LateProof: RefreshableTokenService, PromptProof {
    let work = OneShot<@Sendable () async throws -> Void>()
    let withdrawals = Tally()

    var proofFields: Set<String> { ["DPoP"] }
    func proof(for token: TestToken) throws -> (any RequestProof)? { self }
    func refresh(_ token: TestToken) async throws -> TestToken { token }

    @concurrent
    func fields(for request: ProvenRequest) async throws -> [String: String] {
        try await work.value()()
        return ["DPoP": "late"]
    }
    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome { .settled }
    func withdraw(_ request: ProvenRequest, isSent: Bool) { withdrawals.add() }
}

/// Makes no proof before the test does, also for a cancelled request.
private final class DeafProof: RequestProof {
    typealias Call = CheckedContinuation<[String: String], Never>

    let (calls, call) = AsyncStream.makeStream(of: Call.self)

    @concurrent func fields(for request: ProvenRequest) async throws -> [String: String] {
        await withCheckedContinuation { _ = call.yield($0) }
    }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome { .settled }
}

private struct DeafTokenService: RefreshableTokenService {
    let proof: DeafProof
    var proofFields: Set<String> { ["DPoP"] }

    func proof(for token: TestToken) throws -> (any RequestProof)? { proof }
    func refresh(_ token: TestToken) async throws -> TestToken { token }
}
