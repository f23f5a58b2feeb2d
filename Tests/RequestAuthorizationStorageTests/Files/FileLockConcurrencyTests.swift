// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

@Suite struct FileLockConcurrencyTests {
    @Test func `one at a time has exclusive access, of many stores in one process`() async throws {
        let folder = try TemporaryFolder()
        let inside = Lock((now: 0, most: 0, total: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                let store = folder.store()
                for _ in 0..<20 {
                    group.addTask {
                        let lock = try await store.lock(within: .seconds(60))
                        inside.withLock {
                            ($0.now, $0.most, $0.total) = ($0.now + 1, max($0.most, $0.now + 1), $0.total + 1)
                        }
                        await Task.yield()
                        inside.withLock { $0.now -= 1 }
                        await lock.unlock()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.withLock { $0 } == (0, 1, 160))
    }

    @Test func `who does not get it in time is told so, and keeps nobody waiting`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        let lock = try await one.lock(within: .seconds(10))
        for _ in 0..<3 {
            let error = await #expect(throws: TokenStoreError.self) {
                try await other.lock(within: .milliseconds(20))
            }
            #expect(error?.kind == .timedOut)
        }
        await lock.unlock()
        try await other.lock(within: .seconds(10)).unlock()
        try await one.lock(within: .seconds(10)).unlock()
    }

    @Test func `those who wait can leave, and the others get their turn`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        let lock = try await one.lock(within: .seconds(10))
        let waiting = (0..<20).map { number in
            (number, Task { await (try await other.lock(within: .seconds(60))).unlock() })
        }
        for (number, task) in waiting where number.isMultiple(of: 2) {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await lock.unlock()
        for (number, task) in waiting where !number.isMultiple(of: 2) { try await task.value }
    }

    @Test func `access that is dropped is free`() async throws {
        let folder = try TemporaryFolder()
        _ = try await folder.store().lock(within: .seconds(10))
        try await folder.store().lock(within: .seconds(10)).unlock()
    }

    @Test func `a conditional save does not wait for a refresh`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(1))
        let lock = try await one.lock(within: .seconds(10))
        let tombstone = StoredToken<TestToken>(.signedOut, version: .test(2), obtainedAt: .now)
        #expect(try await other.save(tombstone, replacing: .session(TokenVersion.test(0).session)) == nil)
        let older = TokenSaveCondition.older(session: TokenVersion.test(0).session, generation: 2)
        #expect(try await one.save(.make(2), replacing: older)?.stored.content == .signedOut)
        await lock.unlock()
    }

    @Test func `access is held within an activity, and given up when that expires`() async throws {
        let folder = try TemporaryFolder()
        let log = Lock<[String]>([])
        let expire = Lock<(@Sendable () -> Void)?>(nil)
        let activity = ExclusiveActivity { expired in
            log.withLock { $0.append("begin") }
            expire.withLock { $0 = expired }
            return { log.withLock { $0.append("end") } }
        }
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), activity: activity)
        let lock = try await items.lock(within: .seconds(10))
        #expect(log.withLock { $0 } == ["begin"])
        expire.withLock { $0 }?()
        try await folder.store().lock(within: .seconds(10)).unlock()
        await lock.unlock()
        #expect(log.withLock { $0 } == ["begin", "end"])
        try await items.lock(within: .seconds(10)).unlock()
        #expect(log.withLock { $0 } == ["begin", "end", "begin", "end"])
    }

    @Test func `access whose activity expired while it was waited for is not taken`() async throws {
        let folder = try TemporaryFolder()
        let activity = ExclusiveActivity { expired in
            expired()
            return {}
        }
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), activity: activity)
        let error = await #expect(throws: TokenStoreError.self) { try await items.lock(within: .seconds(10)) }
        #expect(error?.kind == .timedOut)
        try await folder.store().lock(within: .seconds(10)).unlock()
    }
}
