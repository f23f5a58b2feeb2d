// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import TestProviders
import Testing

@Suite(.timeLimit(.minutes(5))) struct RefreshTests {
    @Test(.shows(.refusalIsRetriedOnce, .refusalWithoutChallengeIsRetried), arguments: Way.allCases)
    func `UNAUTHENTICATED, one refresh, the same call once more`(
        way: Way
    ) async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let answer = try await way.call(client)
            #expect(answer == way.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
        #expect(echo.calls.last?.messages == way.messages)
        #expect(service.calls == 1)
    }

    @Test(.shows(.expiredTokenIsRefreshedFirst)) func `a token that has expired is refreshed before anything is sent`()
        async throws
    {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock, .token("b"))
        let auth = Auth(service: service, token: TestToken("a", expiresAt: clock.now), clock: clock)
        let echo = EchoService()
        try await withEcho(echo, auth) { client in _ = try await Way.unary.call(client) }
        #expect(echo.calls.map(\.credential) == ["Bearer b"])
    }

    @Test(.shows(.signedOutSendsNothing)) func `after a sign-out nothing is sent`() async throws {
        let echo = EchoService()
        let auth = Auth.holdingA(ScriptedTokenService())
        await auth.reset()
        try await withEcho(echo, auth) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .unauthenticated)
            #expect((error?.cause as? NotAuthorized)?.needsSignIn == true)
        }
        #expect(echo.calls.isEmpty)
    }

    @Test(.shows(.secondRefusalIsReturned, .lastRefusalCounts), arguments: [2, 5])
    func `a second UNAUTHENTICATED is returned, however many attempts are allowed`(
        attempts: Int
    ) async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService { call in .atOnce(.unauthenticated(("refused", call.credential))) }
        let auth = Auth.holdingA(service)
        try await withEcho(echo, auth, config: .init()) { client in
            var options = CallOptions.defaults
            options.executionPolicy = .retry(.make(attempts: attempts))
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client, options: options) }
            #expect(error?.code == .unauthenticated && error?.message == "no")
            #expect(error.map { Array($0.metadata[stringValues: "refused"]) } == ["Bearer b"])
            #expect(error?.pushback == ["-1"])
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
        // The young token stays in use.
        let token = try await auth.validToken()
        #expect(token.name == "b" && service.calls == 1)
    }

    @Test(.shows(.constantRefusalIsReturned))
    func `UNAUTHENTICATED for a constant credential is returned after one try`() async throws {
        let echo = EchoService(accepting: "Bearer b", otherwise: .atOnce(.unauthenticated(("why", "expired"))))
        try await withEcho(echo, .bearer("a")) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.message == "no" && error?.pushback == ["-1"])
            #expect(error.map { Array($0.metadata[stringValues: "why"]) } == ["expired"])
        }
        #expect(echo.calls.count == 1)
    }

    @Test(.shows(.otherStatusIsUntouched), arguments: [RPCError.Code.permissionDenied, .unavailable, .internalError])
    func `other statuses are returned as they are`(
        code: RPCError.Code
    ) async throws {
        let service = ScriptedTokenService<TestToken>()
        let refusal = RPCError(code: code, message: "no", metadata: ["why": "x"])
        let echo = EchoService { _ in .atOnce(refusal) }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == code && error?.message == "no" && error?.pushback == [])
        }
        #expect(echo.calls.count == 1 && service.calls == 0)
    }

    @Test func `without a policy the call is not made again, but the next has a new credential`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service), config: .init()) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .unauthenticated && error?.pushback == ["0"])
            let answer = try await Way.unary.call(client)
            #expect(answer == Way.unary.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
    }

    @Test func `a hedging policy sends the call again too`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service), config: .init()) { client in
            var options = CallOptions.defaults
            options.executionPolicy = .hedge(
                HedgingPolicy(maxAttempts: 2, hedgingDelay: .seconds(3600), nonFatalStatusCodes: [.unauthenticated]))
            let answer = try await Way.unary.call(client, options: options)
            #expect(answer == Way.unary.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
    }

    @Test func `a server that forbids a retry is obeyed`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService { _ in .atOnce(.unauthenticated(("grpc-retry-pushback-ms", "-1"))) }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.pushback == ["-1"])
        }
        #expect(echo.calls.count == 1)
    }

    @Test func `a server that asks for a retry gets no third attempt`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let echo = EchoService { _ in .atOnce(.unauthenticated(("grpc-retry-pushback-ms", "0"))) }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.pushback == ["-1"])
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
    }

    @Test func `the provider gets the challenges`() async throws {
        let provider = LooseProvider(["Authorization": "Bearer a"])
        let echo = EchoService { _ in
            .atOnce(
                .unauthenticated(("www-authenticate", "Bearer realm=\"a, b\""), ("www-authenticate", "DPoP algs=ES256"))
            )
        }
        try await withEcho(echo, provider) { client in
            _ = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
        }
        let refusals = provider.refusals.withLock { $0 }
        #expect(refusals.map { $0.challenges.map(\.scheme) } == [["Bearer", "DPoP"]])
        #expect(refusals.map(\.statusCode) == [401])
    }

    @Test(.shows(.interactionIsNoRefresh)) func `UNAUTHENTICATED that asks for a stronger log-in refreshes nothing`()
        async throws
    {
        let service = ScriptedTokenService<TestToken>()
        let challenge = "Bearer error=\"insufficient_user_authentication\""
        let echo = EchoService { _ in .atOnce(.unauthenticated(("www-authenticate", challenge))) }
        try await withEcho(echo, Auth.holdingA(service)) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.pushback == ["-1"])
        }
        #expect(echo.calls.count == 1 && service.calls == 0)
    }

    @Test(.shows(.failedRefreshIsThrown)) func `a refresh that fails is thrown, with its error, and asked for once`()
        async throws
    {
        let service = ScriptedTokenService<TestToken>(.failure(Offline()))
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service)) { client in
            for (number, made) in ["refused", "not made", "not made"].enumerated() {
                let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("the call was \(made)") == true, "call \(number)")
                #expect((error?.cause as? RefreshFailed)?.underlying is Offline)
            }
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"])
        #expect(service.calls == 1)
    }

    @Test func `a refused call whose refresh fails is not made again as another person, whatever the policy allows`()
        async throws
    {
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, ChangingProvider(), config: .init()) { client in
            var options = CallOptions.defaults
            options.executionPolicy = .retry(
                RetryPolicy(
                    maxAttempts: 3, initialBackoff: .milliseconds(1), maxBackoff: .milliseconds(1),
                    backoffMultiplier: 1, retryableStatusCodes: [.unauthenticated, .unavailable]))
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client, options: options) }
            #expect(error?.code == .unavailable && error?.cause is RefreshFailed && error?.pushback == ["-1"])
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"])
    }

    @Test(.shows(.rejectedRefreshEndsSession)) func `a refresh that is rejected ends the session`() async throws {
        let service = ScriptedTokenService<TestToken>(.failure(NotAuthorized(.rejected)))
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(service)) { client in
            for _ in 1...2 {
                let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
                #expect(error?.code == .unauthenticated && error?.pushback == ["-1"])
                #expect((error?.cause as? NotAuthorized)?.reason == .rejected)
            }
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"])
        #expect(service.calls == 1)
    }
}

/// Cannot refresh at first, and then belongs to another person.
private final class ChangingProvider: AuthorizationProvider {
    private let asked = Lock(0)

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let number = asked.withLock { asked in
            asked += 1
            return asked
        }
        if number == 2 { throw RefreshFailed(underlying: Offline(), nextTryAt: .now, delivery: .notSent) }
        return try .bearer(number == 1 ? "a" : "b") { _ in .anew }
    }
}

extension RetryPolicy {
    static func make(attempts: Int) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: attempts, initialBackoff: .seconds(3600), maxBackoff: .seconds(3600), backoffMultiplier: 1,
            retryableStatusCodes: [.unauthenticated])
    }
}
#endif
