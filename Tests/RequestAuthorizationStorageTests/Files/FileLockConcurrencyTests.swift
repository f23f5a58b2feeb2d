// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@_spi(FileLayer) import RequestAuthorizationStorage

@Suite(.timeLimit(.minutes(5))) struct FileLockConcurrencyTests {
    @Test func `one at a time has exclusive access, of many stores in one process`() async throws {
        let folder = try TemporaryFolder()
        let inside = Lock((now: 0, most: 0, total: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                let store = folder.store()
                for _ in 0..<20 {
                    group.addTask {
                        let lock = try await store.lock(within: .seconds(300))
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
        let lock = try await one.lock(within: .seconds(300))
        for _ in 0..<3 {
            let error = await #expect(throws: TokenStoreError.self) {
                try await other.lock(within: .milliseconds(20))
            }
            #expect(error?.kind == .timedOut)
        }
        await lock.unlock()
        try await other.lock(within: .seconds(300)).unlock()
        try await one.lock(within: .seconds(300)).unlock()
    }

    @Test func `each leaves when their own time is over, whoever came first`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        let lock = try await one.lock(within: .seconds(300))
        let patient = Task { await (try await other.lock(within: .seconds(3_600))).unlock() }
        for _ in 0..<3 {
            let limits = [90, 10, 50, 10]
            await withTaskGroup(of: TokenStoreError.Kind?.self) { group in
                for limit in limits {
                    group.addTask {
                        do {
                            await (try await other.lock(within: .milliseconds(limit))).unlock()
                            return nil
                        } catch {
                            return (error as? TokenStoreError)?.kind
                        }
                    }
                }
                for await kind in group { #expect(kind == .timedOut) }
            }
        }
        await lock.unlock()
        try await patient.value
    }

    @Test func `those who wait can leave, and the others get their turn`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        let lock = try await one.lock(within: .seconds(300))
        let waiting = (0..<20).map { number in
            (number, Task { await (try await other.lock(within: .seconds(300))).unlock() })
        }
        for (number, task) in waiting where number.isMultiple(of: 2) {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await lock.unlock()
        for (number, task) in waiting where !number.isMultiple(of: 2) { try await task.value }
    }

    @Test func `whenever the cancellation comes, it ends the wait`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        let lock = try await one.lock(within: .seconds(300))
        for number in 0..<4_000 {
            let begins = Lock(false)
            let task = Task {
                begins.withLock { $0 = true }
                return try await other.lock(within: .seconds(300))
            }
            // From before the first step to after the last one.
            while !begins.withLock({ $0 }) { await Task.yield() }
            for _ in 0..<number % 1_000 { begins.withLock { _ in } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await lock.unlock()
    }

    /// Whoever waits for the file of a folder that is removed meanwhile would have access beside those who lock the new one.
    @Test func `access to a lock file that is gone is none`() async throws {
        let folder = try TemporaryFolder()
        let (one, third) = (folder.store(), folder.store())
        let (events, news) = AsyncStream<String>.makeStream()
        let layer = ObservedFileLayer(before: { if $0.function == "lock" { news.yield("locks") } })
        let other = folder.store(on: layer)
        var iterator = events.makeAsyncIterator()
        let lock = try await one.lock(within: .seconds(300))
        let waiting = Task {
            let lock = try await other.lock(within: .seconds(300))
            news.yield("has access")
            return lock
        }
        // At first without waiting, then waiting.
        for _ in 0..<2 { #expect(await iterator.next() == "locks") }
        try FileManager.default.removeItem(atPath: folder.tokens)
        let new = try await third.lock(within: .seconds(300))
        await lock.unlock()
        #expect(await iterator.next() == "locks")
        await new.unlock()
        let access = try await waiting.value
        let error = await #expect(throws: TokenStoreError.self) { try await third.lock(within: .milliseconds(20)) }
        #expect(error?.kind == .timedOut)
        await access.unlock()
    }

    @Test func `access that is dropped is free`() async throws {
        let folder = try TemporaryFolder()
        _ = try await folder.store().lock(within: .seconds(300))
        try await folder.store().lock(within: .seconds(300)).unlock()
    }

    @Test func `a conditional save does not wait for a refresh`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(1))
        let lock = try await one.lock(within: .seconds(300))
        let tombstone = StoredToken<TestToken>(.signedOut, version: .test(2), obtainedAt: .now)
        #expect(try await other.save(tombstone, replacing: .session(TokenVersion.test(0).session)) == .saved)
        let older = TokenSaveCondition.older(session: TokenVersion.test(0).session, generation: 2)
        #expect(try await one.save(.make(2), replacing: older) == .refused(tombstone))
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
        let lock = try await items.lock(within: .seconds(300))
        #expect(log.withLock { $0 } == ["begin"])
        expire.withLock { $0 }?()
        try await folder.store().lock(within: .seconds(300)).unlock()
        await lock.unlock()
        #expect(log.withLock { $0 } == ["begin", "end"])
        try await items.lock(within: .seconds(300)).unlock()
        #expect(log.withLock { $0 } == ["begin", "end", "begin", "end"])
    }

    @Test func `access that a sibling holds is not waited for when the activity has expired`() async throws {
        let folder = try TemporaryFolder()
        let lock = try await folder.store().lock(within: .seconds(300))
        let (begun, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        let activity = ExclusiveActivity { expired in
            continuation.yield(expired)
            return {}
        }
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), activity: activity)
        let waiting = Task { try await items.lock(within: .seconds(3_600)) }
        for await expire in begun {
            expire()
            break
        }
        let error = await #expect(throws: TokenStoreError.self) { try await waiting.value }
        #expect(error?.kind == .timedOut)
        await lock.unlock()
    }

    @Test func `access whose activity expired while it was waited for is not taken`() async throws {
        let folder = try TemporaryFolder()
        let activity = ExclusiveActivity { expired in
            expired()
            return {}
        }
        let items = RestrictedFileItems(client: "client", account: "me", folder: .at(folder.tokens), activity: activity)
        let error = await #expect(throws: TokenStoreError.self) { try await items.lock(within: .seconds(300)) }
        #expect(error?.kind == .timedOut)
        try await folder.store().lock(within: .seconds(300)).unlock()
    }
}
