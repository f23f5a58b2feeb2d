// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// No code of the user runs under the lock, and no finished flight is remembered.
@Suite(.timeLimit(.minutes(5))) struct UserCodeTests {
    typealias Provider = RefreshableTokenAuthorization<NosyToken>

    /// Makes a provider install, replace and drop tokens in all ways.
    private func exercise(_ token: @escaping @Sendable () -> NosyToken, _ box: NosyBox) async throws {
        let clock = ManualClock()
        let auth = Provider(service: NosyService(token: token), store: InMemoryTokenStore(), clock: clock)
        box.provider = auth
        try await auth.signIn { token() }
        _ = try await auth.validToken()
        try await auth.setToken(token())
        _ = try await auth.refreshNow()
        clock.advance(by: .seconds(100))
        _ = try await TestRequest().authorized(using: auth)
        await auth.reset()
        box.provider = nil
    }

    @Test func `a getter of a token may observe its provider`() async throws {
        let box = NosyBox()
        try await exercise({ NosyToken { box.look() } }, box)
        #expect(box.looks > 0)
    }

    @Test func `a token that is deallocated may call its provider`() async throws {
        let box = NosyBox()
        try await exercise({ [box] in NosyToken(tail: Tail { box.look() }) {} }, box)
        #expect(box.looks > 0)
    }

    @Test func `an error that is deallocated may call its provider`() async throws {
        let (clock, box) = (ManualClock(), NosyBox())
        let tail: @Sendable () -> Tail = { [box] in Tail { box.look() } }
        let service = FailingService(tail: tail)
        let auth = Provider(
            service: service, store: FailingStore(tail: tail), policy: .impatient, clock: clock)
        box.provider = auth
        // Each failure takes the place of an earlier one: of the service, of the store, and the end of a session.
        for kind in [TokenFailureKind.transient, .client, .terminal] {
            service.kind.withLock { $0 = kind }
            try? await auth.setToken(NosyToken {})
            for _ in 1...2 { await #expect(throws: (any Error).self) { try await auth.refreshNow() } }
            clock.advance(by: .seconds(100))
        }
        await auth.reset()
        #expect(box.looks >= 6)
        box.provider = nil
    }

    @Test func `a task that a refresh leaves behind, and that causes the next refresh, remembers no finished flight`()
        async throws
    {
        let chain = Chain()
        let auth = RefreshableTokenAuthorization(service: chain, token: TestToken("0"), clock: ManualClock())
        chain.provider = auth
        _ = try await auth.refreshNow()
        for number in 1...20 {
            let link = try #require(chain.link)
            link.go.fulfill()
            #expect(try await link.task.value.name == "\(number + 1)")
        }
        // The id of the former flight may not have been removed yet.
        #expect(chain.depths.count == 21)
        #expect(chain.depths.allSatisfy { $0 <= 3 }, "\(chain.depths)")
    }
}

/// A token whose getter and deinitializer run code of the user.
struct NosyToken: AuthorizationToken {
    var tail: Tail?
    let expiresAt = ManualClock().now.addingTimeInterval(100)
    let look: @Sendable () -> Void

    init(tail: Tail? = nil, _ look: @escaping @Sendable () -> Void) {
        self.tail = tail
        self.look = look
    }

    var authorizationHeaderValue: String {
        look()
        return "Bearer nosy"
    }
}

/// Runs code when the last token that holds it is deallocated.
final class Tail: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}

/// The provider that the tokens read.
final class NosyBox: Sendable {
    private let contents = Lock<(provider: UserCodeTests.Provider?, looks: Int)>((nil, 0))

    var looks: Int { contents.withLock { $0.looks } }
    var provider: UserCodeTests.Provider? {
        get { contents.withLock { $0.provider } }
        set {
            let former = contents.withLock { contents in
                defer { contents.provider = newValue }
                return contents.provider
            }
            withExtendedLifetime(former) {}  // Its tokens are deallocated outside the lock.
        }
    }

    func look() {
        guard let provider else { return }
        _ = provider.currentToken
        provider.onTokenChange { _ in }.cancel()
        contents.withLock { $0.looks += 1 }
    }
}

private struct NosyService: RefreshableTokenService {
    let token: @Sendable () -> NosyToken

    func refresh(_ token: NosyToken) async throws -> NosyToken { self.token() }
}

/// An error that runs code of the user when it is deallocated.
private struct NosyFailure: TokenServiceFailure {
    let kind: TokenFailureKind
    let tail: Tail
}

private struct FailingService: RefreshableTokenService {
    let tail: @Sendable () -> Tail
    let kind = Lock(TokenFailureKind.transient)

    func refresh(_ token: NosyToken) async throws -> NosyToken {
        throw NosyFailure(kind: kind.withLock { $0 }, tail: tail())
    }
}

private struct FailingStore: TokenStore {
    let tail: @Sendable () -> Tail

    func load() async throws -> StoredToken<NosyToken>? { nil }
    func save(_ stored: StoredToken<NosyToken>) async throws { throw NosyFailure(kind: .transient, tail: tail()) }
    func clear() async throws { throw NosyFailure(kind: .transient, tail: tail()) }
}

/// A service whose every refresh leaves a task behind that begins the next one.
private final class Chain: RefreshableTokenService {
    struct Link: Sendable {
        let go: OneShot<Void>
        let task: Task<TestToken, any Error>
    }

    private struct Contents {
        var provider: RefreshableTokenAuthorization<TestToken>?
        var link: Link?
        var depths: [Int] = []
    }

    private let contents = Lock(Contents())

    var link: Link? { contents.withLock { $0.link } }
    var depths: [Int] { contents.withLock { $0.depths } }
    var provider: RefreshableTokenAuthorization<TestToken>? {
        get { contents.withLock { $0.provider } }
        set { contents.withLock { $0.provider = newValue } }
    }

    func refresh(_ token: TestToken) async throws -> TestToken {
        let go = OneShot<Void>()
        let provider = provider
        let task = Task {
            try await go.value()
            guard let provider else { throw Offline() }
            return try await provider.refreshNow()
        }
        return contents.withLock { contents in
            contents.link = Link(go: go, task: task)
            contents.depths.append(RefreshID.current.count)
            return TestToken("\(contents.depths.count)")
        }
    }
}
