// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// What is sent again after a refusal, in whose name, and what the refusal means for later requests.
@Suite(.timeLimit(.minutes(5))) struct RepeatedRequestTests {
    typealias Auth = RefreshableTokenAuthorization<TestToken>

    /// Ways in which another person takes the place of the one who is signed in.
    private static let changes: [@Sendable (Auth) async throws -> Void] = [
        { try await $0.setToken(TestToken("other")) },
        { try await $0.signIn { TestToken("other") } },
        { auth in
            await auth.refresh { TestToken("other") }
            _ = await auth.tokenChanges.first { _ in auth.currentToken?.name == "other" }
        },
        { auth in
            await auth.reset()
            try await auth.signIn { TestToken("other") }
        },
        { auth in
            try await auth.signOut()
            try await auth.setToken(TestToken("other"))
        },
    ]

    @Test(arguments: changes.indices)
    func `a request that was sent as one person is not sent again as the next one`(change: Int) async throws {
        let bench = Bench.make()
        let sent = Lock<[String?]>([])
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.send(FakeRequest.make()) { request in
                sent.withLock { $0.append(request.fields["authorization"]) }
                try await Self.changes[change](bench.auth)
                return FakeResponse.unauthorized("Bearer")
            }
        }
        #expect(error?.reason == .sessionReplaced && error?.challenge?.scheme == "Bearer")
        #expect(sent.withLock { $0 } == ["Bearer old"])
        // The refusal says nothing about the token of the other person.
        #expect(try await bench.name() == "other")
        #expect(bench.service.calls == 0)
    }

    @Test(arguments: changes.indices)
    func `a hand-made loop does not send it again either`(change: Int) async throws {
        let bench = Bench.make()
        let providers: [any AuthorizationProvider] = [bench.auth, bench.auth.restricted(to: "https://api.example.com")]
        let sent = try await FakeRequest.make().authorized(using: bench.auth)
        try await Self.changes[change](bench.auth)
        for provider in providers {
            let error = await #expect(throws: NotAuthorized.self) {
                try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: sent)
            }
            #expect(error?.reason == .sessionReplaced)
        }
        #expect(bench.service.calls == 0)
    }

    @Test func `a request that waits for its first credential goes on as the next person`() async throws {
        let bench = Bench.make(holding: .seconds(10), .held)
        bench.clock.advance(by: .seconds(10))
        let request = await bench.hold(1)[0]
        try await bench.auth.setToken(TestToken("other"))
        #expect(try await request.value == "other")
    }

    @Test func `a request of an ended session stays without an answer, whoever signs in next`() async throws {
        let bench = Bench.make()
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.send(FakeRequest.make()) { _ in
                await bench.auth.reset()
                return FakeResponse.unauthorized("Bearer")
            }
        }
        #expect(error?.reason == .signedOut)
    }

    // MARK: - The last refusal

    @Test func `a 401 that is not retried counts: the next request has another token`() async throws {
        let bench = Bench.make(.token("new", lasts: .seconds(100)))
        #expect(try await Self.statuses(of: bench, [401], refreshCount: 0) == [401])
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `a young token that is refused in the same call is not refused again`() async throws {
        let bench = Bench.make(.token("new", lasts: .seconds(100)), .token("newest", lasts: .seconds(100)))
        #expect(try await Self.statuses(of: bench, [401, 401]) == [401])
        #expect(try await bench.name() == "new")
        #expect(bench.service.calls == 1)
    }

    @Test func `a token that has been in use for a while is refused by the last 401 too`() async throws {
        let bench = Bench.make(.token("new", lasts: .seconds(100)), .token("newest", lasts: .seconds(100)))
        let sent = Lock(0)
        let response = try await bench.auth.send(FakeRequest.make()) { _ in
            let count = sent.withLock { count in
                count += 1
                return count
            }
            if count == 2 { bench.clock.advance(by: .seconds(50)) }
            return FakeResponse.unauthorized("Bearer")
        }
        #expect(response.statusCode == 401)
        #expect(try await bench.name() == "newest")
    }

    @Test func `an address that always refuses does not stop the refreshes of all others`() async throws {
        let bench = Bench.make()
        for number in 0..<9 { bench.service.append(.token("t\(number)", lasts: .seconds(100))) }
        for _ in 0..<4 { #expect(try await Self.statuses(of: bench, [401, 401]) == [401]) }
        #expect(bench.service.calls == 4)
        #expect(try await Self.statuses(of: bench, [401, 200]) == [200])
    }

    /// Sends a request to a server with these answers, and returns the status that the caller gets.
    private static func statuses(of bench: Bench, _ answers: [Int], refreshCount: Int = 1) async throws -> [Int] {
        let left = Lock(answers)
        let response = try await bench.auth.send(FakeRequest.make(), refreshCount: refreshCount) { _ in
            FakeResponse(statusCode: left.withLock { $0.removeFirst() })
        }
        #expect(left.withLock { $0 }.isEmpty)
        return [response.statusCode]
    }

    @Test func `an answer that a hand-made loop reports is not taken for the last one of its call`() async throws {
        let provider = NotingProvider()
        let request = try await FakeRequest.make().authorized(using: provider)
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        #expect(provider.seen.withLock { $0 } == [false])
    }

    @Test func `a hand-made loop tells both makers of a credential, also if one throws`() async throws {
        let (bench, noting) = (Bench.make(), NotingProvider())
        let key = try Credential("key", in: "X-Key", receipt: noting)
        let token = try await bench.auth.credential(for: FakeRequest.make())
        let over = try Credential.bearer("over") { _ in throw NotAuthorized(.signedOut) }
        // The token's maker can do nothing about a scope, and the maker of the key can.
        try await PairProvider(pair: token.adding(key)).report("Bearer error=\"insufficient_scope\"")
        let error = await #expect(throws: NotAuthorized.self) {
            try await PairProvider(pair: over.adding(key)).report("Bearer")
        }
        #expect(error?.reason == .signedOut)
        #expect(noting.seen.withLock { $0 } == [false, false])
        #expect(try await bench.name() == "old")
    }

    @Test func `a hand-made loop tells the maker of a key that was sent with a proof`() async throws {
        let service = ProvingTokenService(ScriptedTokenService<TestToken>(.token("new")))
        let (auth, noting) = (Auth(service: service, token: TestToken("old")), NotingProvider())
        let provider = KeyedProvider(base: auth, receipt: noting)
        let request = try await FakeRequest.make().authorized(using: provider)
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        #expect(noting.seen.withLock { $0 } == [false])
        #expect(try await auth.validToken().name == "new")
    }

    @Test func `a hand-made loop learns that a sign-in is needed, whichever maker says so`() async throws {
        let bench = Bench.make()
        let token = try await bench.auth.credential(for: FakeRequest.make())
        let key = try Credential("key", in: "X-Key", receipt: HelplessReceipt())
        for pair in [key.adding(token), token.adding(key)] {
            let error = await #expect(throws: NotAuthorized.self) {
                try await PairProvider(pair: pair).report("Bearer error=\"insufficient_scope\"")
            }
            #expect(error?.reason == .needsInteraction)
        }
    }

    @Test func `a 400 that asks for a nonce is not shown to a receipt that wants refusals only`() async throws {
        let provider = NotingProvider()
        let request = try await FakeRequest.make().authorized(using: provider)
        let response = UnauthorizedResponse(
            statusCode: 400, fields: ["WWW-Authenticate": ["DPoP error=\"use_dpop_nonce\""], "DPoP-Nonce": ["n1"]])
        let error = await #expect(throws: NotAuthorized.self) {
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
        }
        #expect(error?.reason == .proofRefused)
        #expect(provider.seen.withLock { $0.isEmpty })
    }
}

/// Notes whether each answer counts as the last one of its call.
private final class NotingProvider: AuthorizationProvider, CredentialReceipt {
    let seen = Lock<[Bool]>([])

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try Credential("noted", receipt: self)
    }

    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        seen.withLock { $0.append(afterRefresh) }
        return .anew
    }
}

/// The receipt of a maker that can do nothing about a refusal.
private struct HelplessReceipt: CredentialReceipt {
    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
        throw NotAuthorized(.notRefreshable)
    }
}

/// Adds a key to the credential of another provider.
private struct KeyedProvider: AuthorizationProvider {
    let base: any AuthorizationProvider
    let receipt: any CredentialReceipt

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try await base.credential(for: request).adding(Credential("key", in: "X-Key", receipt: receipt))
    }
}

/// A credential of two makers.
private struct PairProvider: AuthorizationProvider {
    let pair: Credential

    func credential(for request: some AuthorizableRequest) async throws -> Credential { pair }

    /// Reports a 401 as a hand-made loop does.
    func report(_ challenge: String) async throws {
        let request = try await FakeRequest.make().authorized(using: self)
        let refusal = UnauthorizedResponse(fields: ["WWW-Authenticate": [challenge]])
        try await setNeedsRefreshAfterUnauthorizedResponse(refusal, for: request)
    }
}
