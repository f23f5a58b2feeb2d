// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@MainActor struct SendTests {
    @Test func `an answer is returned unchanged`() async throws {
        let provider = ScriptedProvider()
        let response = try await provider.run([FakeResponse()])
        #expect(response == FakeResponse())
        #expect(provider.log == ["authorize", "send t1"])
    }

    @Test func `after a 401 the original request is authorized again and sent again`() async throws {
        let provider = ScriptedProvider()
        let response = try await provider.run([.unauthorized("Bearer"), FakeResponse()])
        #expect(response.statusCode == 200)
        #expect(provider.log == ["authorize", "send t1", "refused t1: Bearer", "authorize", "send t2"])
    }

    @Test(arguments: [0, -1, 1, 2, 5])
    func `a 401 is retried as often as requested, and then returned`(refreshCount: Int) async throws {
        let provider = ScriptedProvider()
        let all = Array(repeating: FakeResponse.unauthorized(), count: 10)
        let response = try await provider.run(all, refreshCount: refreshCount)
        #expect(response.statusCode == 401)
        #expect(provider.log.count { $0.hasPrefix("send") } == 1 + max(0, refreshCount))
        // The last one is judged too.
        #expect(provider.log.count { $0.hasPrefix("refused") } == 1 + max(0, refreshCount))
    }

    @Test func `a 401 is retried once unless another number is requested`() async throws {
        let provider = ScriptedProvider()
        let short = try await provider.send(FakeRequest.make()) { _ in
            provider.log.append("short")
            return FakeResponse.unauthorized()
        }
        let long = try await provider.send(FakeRequest.make(), unauthorized: { $0.unauthorized }) { _ in
            provider.log.append("long")
            return FakeResponse.unauthorized()
        }
        #expect([short, long].map(\.statusCode) == [401, 401])
        #expect(provider.log.count { $0 == "short" } == 2)
        #expect(provider.log.count { $0 == "long" } == 2)
    }

    @Test(arguments: [400, 402, 403, 407, 429, 500, 503])
    func `no other status is retried`(status: Int) async throws {
        let provider = ScriptedProvider()
        let refusal = FakeResponse(statusCode: status, fields: ["www-authenticate": ["Bearer"]])
        #expect(try await provider.run([refusal, FakeResponse()]) == refusal)
        #expect(provider.log == ["authorize", "send t1"])
    }

    @Test func `RFC 6750 §3.1: a 403 for insufficient scope reaches the provider as a 401 does`() async throws {
        let refusal = FakeResponse(
            statusCode: 403, fields: ["www-authenticate": ["Bearer error=\"insufficient_scope\", scope=\"a\""]])
        let provider = ScriptedProvider(hook: NotAuthorized(.needsInteraction))
        #expect(try await provider.run([refusal, FakeResponse()]) == refusal)
        #expect(provider.log == ["authorize", "send t1", "refused t1: Bearer"])
        // A provider with a remedy, such as a token for that scope, is asked for it.
        let able = ScriptedProvider()
        #expect(try await able.run([refusal, FakeResponse()]) == FakeResponse())
        #expect(able.log == ["authorize", "send t1", "refused t1: Bearer", "authorize", "send t2"])
    }

    @Test(arguments: [401, 403])
    func `a constant credential is not retried if another scope is needed, and the hand-made loop is told why`(
        status: Int
    ) async throws {
        let refusal = FakeResponse(
            statusCode: status, fields: ["www-authenticate": ["Bearer error=\"insufficient_scope\""]])
        let provider = BearerTokenAuthorization(token: "ABC")
        var sent = 0
        let response = try await provider.send(FakeRequest.make()) { _ -> FakeResponse in
            sent += 1
            return refusal
        }
        #expect(response == refusal)
        #expect(sent == 1)
        let error = await #expect(throws: NotAuthorized.self) {
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(
                try #require(refusal.unauthorized), for: FakeRequest.make())
        }
        #expect(error?.reason == .needsInteraction)
        #expect(error?.challenge?.error == "insufficient_scope")
    }

    @Test func `a body that can be read once is sent once, and the provider is notified of the 401`() async throws {
        let provider = ScriptedProvider()
        let response = try await provider.run([.unauthorized("Bearer")], request: .make(isReplayable: false))
        #expect(response.statusCode == 401)
        #expect(provider.log == ["authorize", "send t1", "refused t1: Bearer"])
    }

    /// Keeps something, such as a connection, as long as it lives.
    private final class KeepingResponse: AuthorizableResponse {
        let statusCode: Int
        init(_ statusCode: Int) { self.statusCode = statusCode }
        func headerValues(for field: String) -> [String] { [] }
    }

    @Test func `a refused answer is released before the next credential and the next try`() async throws {
        let provider = ScriptedProvider()
        weak var refused: KeepingResponse?
        var isKept: [Bool] = []
        func answer() -> KeepingResponse {
            isKept.append(refused != nil)
            let answer = KeepingResponse(isKept.count.isMultiple(of: 2) ? 200 : 401)
            refused = answer
            return answer
        }
        #expect(try await provider.send(FakeRequest.make()) { _ in answer() }.statusCode == 200)
        let (_, last) = try await provider.send(FakeRequest.make(), unauthorized: { $0.1.unauthorized }) { _ in
            ("body", answer())
        }
        #expect(last.statusCode == 200)
        #expect(isKept == [false, false, false, false])
    }

    @Test func `the caller's statement about the body overrides the request's`() async throws {
        let once = ScriptedProvider()
        #expect(try await once.run([.unauthorized()], isReplayable: false).statusCode == 401)
        let again = ScriptedProvider()
        let request = FakeRequest.make(isReplayable: false)
        let response = try await again.run([.unauthorized(), FakeResponse()], request: request, isReplayable: true)
        #expect(response.statusCode == 200)
    }

    @Test func `if no retry can help the caller gets the 401 itself`() async throws {
        let provider = ScriptedProvider(hook: NotAuthorized(.notRefreshable))
        let refusal = FakeResponse.unauthorized("Bearer error=\"invalid_token\"")
        #expect(try await provider.run([refusal]) == refusal)
        #expect(provider.log == ["authorize", "send t1", "refused t1: Bearer"])
    }

    @Test func `a constant credential leaves a 401 to the caller`() async throws {
        var sent: [[String: String]] = []
        let response = try await BearerTokenAuthorization(token: "ABC").send(FakeRequest.make()) { request in
            sent.append(request.fields)
            return FakeResponse.unauthorized("Bearer")
        }
        #expect(response.statusCode == 401)
        #expect(sent == [["authorization": "Bearer ABC"]])
    }

    @Test func `the caller gets the error of a failed refresh`() async throws {
        let failure = RefreshFailed(underlying: ConnectionFailure(), nextTryAt: .distantFuture, delivery: .notSent)
        let provider = ScriptedProvider(secondAuthorize: failure)
        await #expect(throws: RefreshFailed.self) { try await provider.run([.unauthorized()]) }
        #expect(provider.log == ["authorize", "send t1", "refused t1: ", "authorize"])
    }

    @Test func `the caller gets the end of a session that ended in the refresh`() async throws {
        let provider = ScriptedProvider(secondAuthorize: NotAuthorized(.rejected))
        let error = await #expect(throws: NotAuthorized.self) { try await provider.run([.unauthorized()]) }
        #expect(error?.reason == .rejected)
    }

    @Test(
        arguments: [
            RefreshFailed(underlying: ConnectionFailure(), nextTryAt: .distantFuture, delivery: .notSent),
            CancellationError(),
        ] as [any Error])
    func `another error of the provider is thrown, and does not count as a refusal to retry`(error: any Error)
        async throws
    {
        let provider = ScriptedProvider(hook: error)
        let thrown = await #expect(throws: (any Error).self) { try await provider.run([.unauthorized()]) }
        #expect(thrown.map { type(of: $0) == type(of: error) } == true)
    }

    @Test func `a request that cannot be authorized is not sent`() async throws {
        let provider = ScriptedProvider(firstAuthorize: NotAuthorized(.noToken))
        await #expect(throws: NotAuthorized.self) { try await provider.run([FakeResponse()]) }
        #expect(provider.log == ["authorize"])
    }

    @Test func `an error of the transport is thrown and nothing is sent again`() async throws {
        let (provider, sent) = (ScriptedProvider(), Lock(0))
        await #expect(throws: ConnectionFailure.self) {
            _ = try await provider.send(FakeRequest.make()) { _ -> FakeResponse in
                sent.withLock { $0 += 1 }
                throw ConnectionFailure()
            }
        }
        #expect(provider.log == ["authorize"])
        #expect(sent.withLock { $0 } == 1)
    }

    @Test func `an answer may hold a response beside other values`() async throws {
        let provider = ScriptedProvider()
        var answers = [("refused", FakeResponse.unauthorized("Bearer")), ("body", FakeResponse())]
        let (body, response) = try await provider.send(
            FakeRequest.make(), unauthorized: \.1.unauthorized, transport: { _ in answers.removeFirst() })
        #expect(body == "body")
        #expect(response.statusCode == 200)
    }

    @Test func `the provider gets the server's challenge`() async throws {
        let seen = Seen()
        let provider = ClosureAuthorization(onUnauthorized: { await seen.set($0) }, value: { "Bearer ABC" })
        var answers = [
            FakeResponse(
                statusCode: 401,
                fields: ["www-authenticate": ["Basic realm=\"a\"", "Bearer"], "retry-after": ["7"]]), FakeResponse(),
        ]
        _ = try await provider.send(FakeRequest.make()) { _ in answers.removeFirst() }
        #expect(seen.response?.statusCode == 401)
        #expect(seen.response?.challenges.map(\.scheme) == ["Basic", "Bearer"])
        #expect(seen.response?.headerValues(for: "Retry-After") == ["7"])
    }

    @Test func `everything runs on the caller's actor`() async throws {
        var answers = [FakeResponse.unauthorized(), FakeResponse()]
        let response = try await StayingProvider().send(FakeRequest.make()) { _ in
            MainActor.preconditionIsolated()
            return answers.removeFirst()  // state of the caller, without a lock
        }
        #expect(response.statusCode == 200)
        #expect(answers.isEmpty)
    }
}

// MARK: - Support

private struct ConnectionFailure: Error {}
private struct UnexpectedRequest: Error {}

@MainActor private final class Seen {
    var response: UnauthorizedResponse?
    func set(_ response: UnauthorizedResponse) { self.response = response }
}

/// Issues t1, t2, … and records its calls, on the main actor like its callers.
@MainActor private final class ScriptedProvider {
    var log: [String] = []
    private var count = 0
    private let firstAuthorize: (any Error)?
    private let secondAuthorize: (any Error)?
    private let hook: (any Error)?

    init(
        firstAuthorize: (any Error)? = nil, secondAuthorize: (any Error)? = nil, hook: (any Error)? = nil
    ) {
        self.firstAuthorize = firstAuthorize
        self.secondAuthorize = secondAuthorize
        self.hook = hook
    }

    /// Sends a request to a transport that gives these answers in turn.
    func run(
        _ answers: [FakeResponse], request: FakeRequest = .make(), refreshCount: Int = 1, isReplayable: Bool? = nil
    ) async throws -> FakeResponse {
        var answers = answers
        return try await send(request, refreshCount: refreshCount, isReplayable: isReplayable) { request in
            self.log.append("send \(request.fields["authorization"] ?? "nothing")")
            if answers.isEmpty { throw UnexpectedRequest() }
            return answers.removeFirst()
        }
    }
}

extension ScriptedProvider: AuthorizationProvider {
    @MainActor func credential(for request: some AuthorizableRequest) async throws -> Credential {
        log.append("authorize")
        count += 1
        if count == 1, let firstAuthorize { throw firstAuthorize }
        if count == 2, let secondAuthorize { throw secondAuthorize }
        #expect(request.credential(in: "Authorization") == nil, "the original is authorized, never the copy")
        return try Credential("t\(count)", receipt: Receipt(provider: self, name: "t\(count)"))
    }

    private struct Receipt: CredentialReceipt {
        let provider: ScriptedProvider
        let name: String

        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
            try await provider.note(answer.unauthorized, of: name)
            return .anew
        }
    }

    private func note(_ response: UnauthorizedResponse?, of name: String) throws {
        let schemes = response?.challenges.map(\.scheme).joined(separator: ", ")
        log.append("refused \(name): \(schemes ?? "?")")
        if let hook { throw hook }
    }
}

/// Stops the tests if it is not called on the main actor.
private struct StayingProvider: AuthorizationProvider {
    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        MainActor.preconditionIsolated()
        return try Credential("staying", receipt: Receipt())
    }

    private struct Receipt: CredentialReceipt {
        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
            MainActor.preconditionIsolated()
            return .anew
        }
    }
}
