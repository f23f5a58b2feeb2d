// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import TestProviders
import Testing

/// Tokens that need a proof for each call. A proof is the text `number method URL nonce`.
@Suite(.timeLimit(.minutes(5))) struct ProofTests {
    private let service = ScriptedTokenService<TestToken>(.token("b"))

    private var auth: Auth { Auth(service: ProvingTokenService(service), token: TestToken("a")) }

    private static func wantsNonce(_ nonce: String) -> RPCError {
        .unauthenticated(("www-authenticate", "DPoP error=\"use_dpop_nonce\""), ("dpop-nonce", nonce))
    }

    @Test(.shows(.proofIsMade)) func `a call is proven as a POST`() async throws {
        let echo = EchoService()
        try await withEcho(echo, auth) { client in
            for _ in 0..<2 { _ = try await Way.unary.call(client) }
        }
        let path = Way.unary.method.fullyQualifiedMethod
        #expect(echo.calls.map(\.proof) == ["1 POST http://127.0.0.1/\(path) -", "2 POST http://127.0.0.1/\(path) -"])
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer a"])
    }

    @Test(.shows(.nonceIsRetried, .provenBodyIsSentAgain), arguments: Way.allCases)
    func `a call that is refused for want of a nonce is made again with the same token`(way: Way) async throws {
        let echo = EchoService { $0.proof.hasSuffix(" n1") ? nil : .atOnce(Self.wantsNonce("n1")) }
        try await withEcho(echo, auth) { client in
            let answer = try await way.call(client)
            #expect(answer == way.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer a"])
        #expect(echo.calls.last?.messages == way.messages)
        #expect(service.calls == 0)
    }

    @Test func `a call that is refused for want of a nonce is not made again as the person who signs in next`()
        async throws
    {
        let auth = self.auth
        let echo = EchoService { call in
            guard call.credential == "Bearer a" else { return nil }
            try await auth.setToken(TestToken("b"))
            return .atOnce(Self.wantsNonce("n1"))
        }
        try await withEcho(echo, auth) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .unauthenticated && error?.pushback == ["-1"])
            #expect((error?.cause as? NotAuthorized)?.reason == .sessionReplaced)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"])
    }

    @Test(.shows(.rotatedNonceIsRetried), arguments: Way.allCases)
    func `a call whose nonce is refused for another one is made a third time`(way: Way) async throws {
        let echo = EchoService { call in
            call.proof.hasPrefix("3 ") ? nil : .atOnce(Self.wantsNonce("n\(call.proof.prefix(1))"))
        }
        try await withEcho(echo, auth) { client in
            let answer = try await way.call(client)
            #expect(answer == way.answer)
        }
        #expect(echo.calls.map { $0.proof.suffix(2) } == [" -", "n1", "n2"])
        #expect(echo.calls.last?.messages == way.messages)
        #expect(service.calls == 0)
    }

    @Test(.shows(.repeatedNonceEnds)) func `a server that asks for the nonce that it refused gets two calls`()
        async throws
    {
        let echo = EchoService { _ in .atOnce(Self.wantsNonce("n1")) }
        try await withEcho(echo, auth) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .unauthenticated && error?.pushback == ["-1"])
        }
        #expect(echo.calls.count == 2)
        #expect(service.calls == 0)
    }

    @Test func `a refresh and a nonce for the new token are two retries of one call`() async throws {
        let echo = EchoService { call in
            guard call.credential == "Bearer b" else { return .atOnce(.unauthenticated()) }
            return call.proof.hasSuffix(" n1") ? nil : .atOnce(Self.wantsNonce("n1"))
        }
        try await withEcho(echo, auth) { client in _ = try await Way.unary.call(client) }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b", "Bearer b"])
        #expect(service.calls == 1)
    }

    @Test(.shows(.nonceLoopEnds)) func `a server that asks for another nonce each time gets three calls`() async throws
    {
        let echo = EchoService { .atOnce(Self.wantsNonce("n\($0.proof.prefix(1))")) }
        try await withEcho(echo, auth) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .unauthenticated && error?.message == "no")
        }
        #expect(echo.calls.count == 3)
        #expect(service.calls == 0)
    }

    @Test(.shows(.provenRefusalIsRetried)) func `a refused token is refreshed, and the new one proven`() async throws {
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, auth) { client in _ = try await Way.unary.call(client) }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
        #expect(echo.calls.map { $0.proof.prefix(1) } == ["1", "2"])
        #expect(service.calls == 1)
    }

    @Test(.shows(.nonceOfAnyAnswerIsUsed)) func `a nonce from an answer is in the next proof`() async throws {
        let echo = EchoService(news: ["dpop-nonce": "n5"])
        try await withEcho(echo, auth) { client in
            for _ in 0..<2 { _ = try await Way.unary.call(client) }
        }
        #expect(echo.calls.map { $0.proof.split(separator: " ").last } == ["-", "n5"])
    }

    @Test func `a nonce from a call that failed is in the next proof`() async throws {
        let failure = RPCError(code: .notFound, message: "no", metadata: ["dpop-nonce": "n5"])
        let echo = EchoService { $0.proof.hasPrefix("1 ") ? .atOnce(failure) : nil }
        try await withEcho(echo, auth) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .notFound)
            _ = try await Way.unary.call(client)
        }
        #expect(echo.calls.map { $0.proof.split(separator: " ").last } == ["-", "n5"])
    }

    @Test func `a proof sees each field of a refusal`() async throws {
        let echo = EchoService { call in
            let isUsed = call.metadata[stringValues: "x-stamp"].contains("1")
            return isUsed ? .atOnce(.unauthenticated(("x-stamp", "used"))) : nil
        }
        let auth = Auth(service: StampingTokenService(base: service), token: TestToken("a"))
        try await withEcho(echo, auth) { client in _ = try await Way.unary.call(client) }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer a"])
        #expect(service.calls == 0)
    }
}

/// Numbers its proofs. A server names a used one in a field of its own.
private struct StampingTokenService: RefreshableTokenService, RequestProof {
    let base: ScriptedTokenService<TestToken>
    private let count = Lock(0)

    init(base: ScriptedTokenService<TestToken>) { self.base = base }

    var proofFields: Set<String> { ["X-Stamp"] }
    func proof(for token: TestToken) throws -> (any RequestProof)? { self }
    func refresh(_ token: TestToken) async throws -> TestToken { try await base.refresh(token) }

    @concurrent func fields(for request: ProvenRequest) async throws -> [String: String] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return ["X-Stamp": "\(number)"]
    }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome {
        response.headerValues(for: "X-Stamp").isEmpty ? .settled : .newProofNeeded
    }
}
#endif
