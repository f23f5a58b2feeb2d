// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

/// One cause, one outcome: when the session has ended, each call throws.
@Suite(.timeLimit(.minutes(5))) struct SendEndedSessionTests {
    private static let refusal = FakeResponse.unauthorized("Basic", "Bearer error=\"invalid_token\"")

    @Test(arguments: [NotAuthorized.Reason.rejected, .signedOut])
    func `the end of a session is thrown with the answer's challenge, after the answer was released`(
        reason: NotAuthorized.Reason
    ) async throws {
        let provider = EndedProvider(hook: NotAuthorized(reason, detail: "why", underlying: Cause()))
        let log = Lock<[String]>([])
        let error = await #expect(throws: NotAuthorized.self) {
            try await provider.send(
                FakeRequest.make(), refreshCount: 1, isReplayable: nil, head: { $0 },
                discard: { _ in log.withLock { $0.append("discard") } }
            ) { _ in
                log.withLock { $0.append("send") }
                return Self.refusal
            }
        }
        #expect(error?.reason == reason && error?.detail == "why" && error?.underlying is Cause)
        #expect(error?.challenge?.error == "invalid_token")
        #expect(log.withLock { $0 } == ["send", "discard"])
    }

    @Test func `a challenge that the provider gave is kept`() async throws {
        let own = AuthenticationChallenge(scheme: "Own")
        let provider = EndedProvider(hook: NotAuthorized(.rejected, challenge: own))
        let error = await #expect(throws: NotAuthorized.self) { try await provider.refused() }
        #expect(error?.challenge == own)
    }

    @Test func `a session that ends in the refresh is thrown with the challenge too`() async throws {
        let provider = EndedProvider(second: NotAuthorized(.rejected))
        let error = await #expect(throws: NotAuthorized.self) { try await provider.refused() }
        #expect(error?.reason == .rejected && error?.challenge?.error == "invalid_token")
    }

    @Test func `an interaction that the token endpoint asks for is thrown unchanged`() async throws {
        let provider = EndedProvider(second: NotAuthorized(.needsInteraction))
        let error = await #expect(throws: NotAuthorized.self) { try await provider.refused() }
        #expect(error?.reason == .needsInteraction && error?.challenge == nil)
    }

    @Test func `a body that cannot be sent again keeps its 401`() async throws {
        let provider = EndedProvider(hook: NotAuthorized(.rejected))
        #expect(try await provider.refused(.make(isReplayable: false)) == Self.refusal)
        #expect(try await provider.refused(isReplayable: false) == Self.refusal)
    }

    @Test(arguments: [
        NotAuthorized.Reason.notRefreshable, .needsInteraction, .refreshedTooOften, .originNotAllowed, .clientRefused,
    ])
    func `where no session has ended the 401 is returned`(reason: NotAuthorized.Reason) async throws {
        #expect(try await EndedProvider(hook: NotAuthorized(reason)).refused() == Self.refusal)
    }

    @Test func `all calls of a session that the server ends throw the same error`() async throws {
        let service = ScriptedTokenService<TestToken>(.failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"))
        let sent = Tally()
        let isEnded = Tally()
        try await withThrowingTaskGroup(of: NotAuthorized?.self) { group in
            for number in 0..<50 {
                group.addTask {
                    do {
                        _ = try await auth.send(FakeRequest.make()) { _ in
                            sent.add()
                            await sent.reaches(50)
                            if number >= 15 { await isEnded.reaches(1) }
                            return Self.refusal
                        }
                        return nil
                    } catch let error as NotAuthorized {
                        isEnded.add()
                        return error
                    }
                }
            }
            for try await error in group {
                #expect(error?.reason == .rejected && error?.challenge?.error == "invalid_token")
            }
        }
        #expect(service.calls == 1)
    }
}

private struct Cause: Error {}

/// A provider whose hook, or second credential, fails.
private struct EndedProvider: AuthorizationProvider {
    var hook: NotAuthorized?
    var second: NotAuthorized?
    private let credentials = Lock(0)

    init(hook: NotAuthorized? = nil, second: NotAuthorized? = nil) { (self.hook, self.second) = (hook, second) }

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let isFirst = credentials.withLock { count in
            count += 1
            return count == 1
        }
        if !isFirst, let second { throw second }
        return try .bearer("ended") { [hook] _ in
            if let hook { throw hook }
            return .anew
        }
    }

    func refused(_ request: FakeRequest = .make(), isReplayable: Bool? = nil) async throws -> FakeResponse {
        try await send(request, isReplayable: isReplayable) { _ in
            .unauthorized("Basic", "Bearer error=\"invalid_token\"")
        }
    }
}
