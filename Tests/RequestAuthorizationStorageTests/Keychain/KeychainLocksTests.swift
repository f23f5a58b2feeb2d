// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// Exclusive access to Keychain items within a process.
@Suite struct KeychainLocksTests {
    private let clock = ManualClock()
    private let items: NamedKeychainItems

    init() { items = NamedKeychainItems(client: "client", keychain: FakeKeychain(), locks: NamedLocks(), clock: clock) }

    private func lock(_ name: String = "a", within limit: Duration) async throws -> TokenStoreLock {
        try await items.lock(named: name, kind: "note", within: limit)
    }

    /// Begins to wait, and returns once the waiter has its place and its timer.
    private func waiter(_ seconds: Double) async -> Task<TokenStoreLock, any Error> {
        let task = Task { try await lock(within: .seconds(seconds)) }
        await clock.sleeper(for: .seconds(seconds))
        return task
    }

    @Test func `waiters are served in order of arrival`() async throws {
        let held = try await lock(within: .seconds(1))
        let order = Lock<[Double]>([])
        try await withThrowingTaskGroup { group in
            for seconds in [11.0, 12, 13] {
                let waiter = await waiter(seconds)
                group.addTask {
                    let lock = try await waiter.value
                    order.withLock { $0.append(seconds) }
                    await lock.unlock()
                }
            }
            await held.unlock()
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [11, 12, 13])
        try await lock(within: .seconds(1)).unlock()
    }

    @Test func `a waiter fails when its limit is over, and the next one is served`() async throws {
        let held = try await lock(within: .seconds(1))
        let (first, second) = (await waiter(11), await waiter(12))
        clock.advance(by: .seconds(11))
        let error = await #expect(throws: TokenStoreError.self) { try await first.value }
        #expect(error?.kind == .timedOut)
        await held.unlock()
        try await second.value.unlock()
    }

    @Test func `a cancelled waiter fails at once, and the next one is served`() async throws {
        let held = try await lock(within: .seconds(1))
        let (first, second) = (await waiter(11), await waiter(12))
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await held.unlock()
        try await second.value.unlock()
    }

    @Test func `access that is given up twice is given up once`() async throws {
        let held = try await lock(within: .seconds(1))
        let (first, second) = (await waiter(11), await waiter(12))
        await held.unlock()
        await held.unlock()
        let next = try await first.value
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await next.unlock()
    }

    @Test func `items are locked independently`() async throws {
        let held = try await lock(within: .seconds(1))
        try await lock("b", within: .seconds(1)).unlock()
        await held.unlock()
    }
}
