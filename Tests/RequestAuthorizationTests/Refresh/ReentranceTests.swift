// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// A service that waits for its own provider gets an error, not a deadlock.
@Suite struct ReentranceTests {
    /// The ways in which a service can ask a provider.
    enum Way: CaseIterable { case directly, inAChildTask, inATask }

    @Test(arguments: Way.allCases)
    func `a service that authorizes through its own provider gets an error`(way: Way) async throws {
        let box = ProviderBox()
        let auth = RefreshableTokenAuthorization(
            service: ClosureService { try await box.token(by: way) }, clock: ManualClock())
        box.provider = auth
        let error = await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        #expect(error?.reason == .reentrantRefresh)
    }

    @Test func `a service that returns by way of another provider gets an error`() async throws {
        let (boxA, boxB) = (ProviderBox(), ProviderBox())
        let a = RefreshableTokenAuthorization(
            service: ClosureService { try await boxB.token(by: .directly) }, clock: ManualClock())
        let b = RefreshableTokenAuthorization(
            service: ClosureService { try await boxA.token(by: .inATask) }, clock: ManualClock())
        (boxA.provider, boxB.provider) = (a, b)
        let error = await #expect(throws: NotAuthorized.self) { try await a.validToken() }
        #expect(error?.reason == .reentrantRefresh)
    }

    @Test func `a sign-in that authorizes through its own provider gets an error`() async throws {
        let bench = Bench.make()
        let error = await #expect(throws: NotAuthorized.self) {
            try await bench.auth.signIn { try await bench.auth.validToken() }
        }
        #expect(error?.reason == .reentrantRefresh)
        #expect(try await bench.name() == "old")
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func `a store that authorizes its save through its own provider gets an error`(isSignIn: Bool) async throws {
        let box = ProviderBox()
        let store = AskingStore { try await box.token(by: .directly) }
        let auth = RefreshableTokenAuthorization(
            service: ClosureService { TestToken("a") }, store: store, clock: ManualClock())
        box.provider = auth
        // The save fails, and the token is used all the same.
        if isSignIn { await auth.refresh { TestToken("a") } }
        #expect(try await auth.validToken().name == "a")
        #expect(await store.reason == .reentrantRefresh)
    }

    @Test func `a long-lived task that began in an old flight gets no error`() async throws {
        let (go, start) = AsyncStream.makeStream(of: Void.self)
        let box = ProviderBox()
        let clock = ManualClock()
        let service = ClosureService { [clock] in
            if box.background == nil {
                box.background = Task {
                    for await _ in go { break }
                    return try await box.token(by: .directly)
                }
            }
            return TestToken("a", expiresAt: clock.now.addingTimeInterval(100))
        }
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        box.provider = auth
        _ = try await auth.validToken()
        clock.advance(by: .seconds(100))
        start.yield()
        #expect(try await box.background?.value.name == "a")
    }

    @Test func `while the token is valid a service may use its own provider`() async throws {
        let bench = Bench.make()
        let auth = bench.auth
        bench.service.append(.run { _ in TestToken(try await auth.validToken().name + "-next") })
        bench.clock.advance(by: .seconds(95))
        _ = try await bench.event(.tokenInstalled) { _ = try await bench.name() }
        #expect(try await bench.name() == "old-next")
    }

    @Test(arguments: [TaskPriority.background, .high])
    func `the priority of a refresh does not depend on who began it`(priority: TaskPriority) async throws {
        let seen = Lock<TaskPriority?>(nil)
        let service = ClosureService {
            seen.withLock { $0 = Task.currentPriority }
            return TestToken("a")
        }
        let auth = RefreshableTokenAuthorization(service: service, clock: ManualClock())
        _ = try await Task(priority: priority) { try await auth.validToken() }.value
        #expect(seen.withLock { $0 } == .userInitiated)
    }
}

/// A service whose every method runs one closure.
private struct ClosureService: RefreshableTokenService {
    let body: @Sendable () async throws -> TestToken

    init(_ body: @escaping @Sendable () async throws -> TestToken) { self.body = body }

    func refresh(_ token: TestToken) async throws -> TestToken { try await body() }
    func initialToken() async throws -> TestToken { try await body() }
}

/// A store that asks for a token before it saves one.
private actor AskingStore: TokenStore {
    private let body: @Sendable () async throws -> TestToken
    private(set) var reason: NotAuthorized.Reason?

    init(_ body: @escaping @Sendable () async throws -> TestToken) { self.body = body }

    func load() -> StoredToken<TestToken>? { nil }
    func save(_ stored: StoredToken<TestToken>) async throws {
        do {
            _ = try await body()
        } catch {
            reason = (error as? NotAuthorized)?.reason
            throw error
        }
    }
    func clear() {}
}

/// The provider that a service knows, set when both exist.
private final class ProviderBox: Sendable {
    private let contents = Lock<(RefreshableTokenAuthorization<TestToken>?, Task<TestToken, any Error>?)>((nil, nil))

    var provider: RefreshableTokenAuthorization<TestToken>? {
        get { contents.withLock { $0.0 } }
        set { contents.withLock { $0.0 = newValue } }
    }

    var background: Task<TestToken, any Error>? {
        get { contents.withLock { $0.1 } }
        set { contents.withLock { $0.1 = newValue } }
    }

    func token(by way: ReentranceTests.Way) async throws -> TestToken {
        guard let provider else { throw Offline() }
        switch way {
        case .directly: return try await provider.validToken()
        case .inATask: return try await Task { try await provider.validToken() }.value
        case .inAChildTask:
            async let token = provider.validToken()
            return try await token
        }
    }
}
