// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// The service learns why a resource refused a token.
@Suite struct ClaimsChallengeTests {
    /// A resource that wants certain claims in its tokens, and a service that gets what it asks for.
    private final class World: RefreshableTokenService {
        private struct State {
            var asked: [AuthenticationChallenge?] = []
            var answers: [Int] = []
        }

        private let state = Lock(State())
        /// Whether the service does what a challenge demands.
        let isObliging: Bool
        /// The parameters of the resource's challenge for a token that does not have the claims.
        let challenge: String

        init(isObliging: Bool = true, challenge: String = World.challenge("{\"nbf\":1}")) {
            (self.isObliging, self.challenge) = (isObliging, challenge)
        }

        static func challenge(_ claims: String) -> String {
            "Bearer error=\"insufficient_claims\", claims=\"\(Data(claims.utf8).base64EncodedString())\""
        }

        /// The challenge of each refresh.
        var asked: [AuthenticationChallenge?] { state.withLock { $0.asked } }
        /// The statuses of the resource.
        var answers: [Int] { state.withLock { $0.answers } }

        func refresh(_ token: TestToken) async throws -> TestToken { next(nil) }
        func refresh(_ token: TestToken, after challenge: AuthenticationChallenge) async throws -> TestToken {
            next(challenge)
        }

        private func next(_ challenge: AuthenticationChallenge?) -> TestToken {
            state.withLock { state in
                state.asked.append(challenge)
                return TestToken("\(isObliging ? challenge?.claims ?? "plain" : "plain")-\(state.asked.count)")
            }
        }

        func answer(_ request: FakeRequest) -> FakeResponse {
            let isGood = request.fields["authorization"]?.hasPrefix("Bearer {") == true
            state.withLock { $0.answers.append(isGood ? 200 : 401) }
            return isGood
                ? FakeResponse(statusCode: 200)
                : FakeResponse(statusCode: 401, fields: ["www-authenticate": [challenge]])
        }
    }

    private func provider(_ world: World) -> RefreshableTokenAuthorization<TestToken> {
        RefreshableTokenAuthorization(service: world, token: TestToken("first"))
    }

    private func send(by auth: RefreshableTokenAuthorization<TestToken>, to world: World) async throws -> Int {
        try await auth.send(FakeRequest()) { world.answer($0) }.statusCode
    }

    @Test func `one refresh with the claims serves all requests`() async throws {
        let world = World()
        let auth = provider(world)
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await send(by: auth, to: world) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 })
        #expect(world.asked.map { $0?.claims } == ["{\"nbf\":1}"])
    }

    @Test func `claims that a refresh does not bring need a person, and no further refresh`() async throws {
        let world = World(isObliging: false)
        let auth = provider(world)
        for _ in 0..<5 { #expect(try await send(by: auth, to: world) == 401) }
        #expect(world.asked.count == 1)
        let sent = try await auth.authorize(FakeRequest())
        let refusal = try #require(world.answer(sent).unauthorized)
        let error = await #expect(throws: NotAuthorized.self) {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: sent)
        }
        #expect(error?.reason == .needsInteraction && error?.challenge?.claims == "{\"nbf\":1}")
        // The session lives: other resources may accept the token.
        #expect(auth.currentToken?.name == "plain-1")
        #expect(world.asked.count == 1)
    }

    @Test func `a resource that demands other claims each time stops refreshing`() async throws {
        let world = World(isObliging: false)
        let auth = provider(world)
        for number in 0..<40 {
            let refusal = FakeResponse(
                statusCode: 401, fields: ["www-authenticate": [World.challenge("{\"nbf\":\(number)}")]])
            _ = try await auth.send(FakeRequest()) { _ in refusal }
        }
        // The limit of `RefreshPolicy.Storm`, and the first token, which has no lifetime and is always young.
        #expect((2...6).contains(world.asked.count))
    }

    @Test func `the last refusal counts if the token was fetched without claims`() async throws {
        let world = World()
        let auth = provider(world)
        let answers = Lock([
            FakeResponse(statusCode: 401),
            FakeResponse(statusCode: 401, fields: ["www-authenticate": [world.challenge]]),
        ])
        let answer = try await auth.send(FakeRequest()) { _ in answers.withLock { $0.removeFirst() } }
        #expect(answer.statusCode == 401)
        #expect(try await send(by: auth, to: world) == 200)
        #expect(world.asked.map { $0?.claims } == [nil, "{\"nbf\":1}"])
    }

    @Test func `a service sees the challenge of any refusal, and none of an expiry`() async throws {
        let world = World(challenge: "Bearer realm=\"a\", DPoP error=\"invalid_token\"")
        let auth = provider(world)
        _ = try await send(by: auth, to: world)
        try await auth.refreshNow()
        #expect(world.asked.map { $0?.scheme } == ["DPoP", nil])
    }
}
