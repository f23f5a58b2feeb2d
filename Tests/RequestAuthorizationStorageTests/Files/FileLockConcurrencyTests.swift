// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@_spi(FileLayer) @_spi(FileQueue) @testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct FileLockConcurrencyTests {
    @Test func `of many stores in one process one at a time has exclusive access`() async throws {
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

    @Test func `a waiter whose time has ended gets an error, and delays no other`() async throws {
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

    @Test func `a lock that goes after its last wait has ended listens no more`() async throws {
        let folder = try TemporaryFolder()
        let held = try await folder.store().lock(within: .seconds(300))
        let (tries, tried) = AsyncStream.makeStream(of: Void.self)
        let layer = ObservedFileLayer(before: { if $0.function == "lock" { tried.yield() } })
        let shared = SharedFolder.at(.at(folder.tokens), layer)
        let files = CredentialFiles(CredentialName(client: "client", account: "me"), in: shared.place)
        let queue = shared.queue(of: files)
        let watch = FolderWatch(shared.place, on: queue)
        var lock: FileLock? = FileLock(files, on: queue, watch: watch, onEnd: {})
        let waiting = Task { [lock] in _ = try await lock?.acquire(within: .seconds(300)) }
        var next = tries.makeAsyncIterator()
        // It tries once more after it has begun to listen.
        for _ in 0..<2 { await next.next() }
        #expect(watch.heard == ["client,me.lock"])
        waiting.cancel()
        _ = await waiting.result
        lock = nil
        // The last try keeps the lock until it returns.
        try await queue.run {}
        #expect(watch.heard == [])
        await held.unlock()
    }

    @Test func `one may wait for ever`() async throws {
        let folder = try TemporaryFolder()
        let lock = try await folder.store().lock(within: .seconds(Int64.max))
        let other = folder.store()
        let patient = Task { await (try await other.lock(within: .seconds(Int64.max))).unlock() }
        await lock.unlock()
        try await patient.value
    }

    @Test func `each waiter leaves when its own time has ended, in any order of arrival`() async throws {
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

    @Test func `waiters can leave, and the others get their turn`() async throws {
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

    @Test func `a cancellation ends the wait at any time`() async throws {
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

    /// A process that locks the file of a removed folder would have access beside a process that locks the new file.
    @Test func `access to a lock file that was removed is not access`() async throws {
        let folder = try TemporaryFolder()
        // As in separate processes: within one process the lock is held even if its file is removed.
        let (one, third) = (folder.store(on: ObservedFileLayer()), folder.store(on: ObservedFileLayer()))
        let (events, tried) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let layer = ObservedFileLayer(before: { call in
            guard call.function == "lock" else { return }
            tried.yield()
            gate.wait()
        })
        let other = folder.store(on: layer)
        var tries = events.makeAsyncIterator()
        let lock = try await one.lock(within: .seconds(300))
        let waiting = Task { try await other.lock(within: .seconds(300)) }
        // It has opened the file that is about to be removed.
        await tries.next()
        try FileManager.default.removeItem(atPath: folder.tokens)
        let new = try await third.lock(within: .seconds(300))
        await lock.unlock()
        gate.signal()
        // It has noticed the removal, and tries the new file.
        await tries.next()
        for _ in 0..<100_000 { gate.signal() }
        await new.unlock()
        let access = try await waiting.value
        let error = await #expect(throws: TokenStoreError.self) { try await third.lock(within: .milliseconds(20)) }
        #expect(error?.kind == .timedOut)
        await access.unlock()
    }

    @Test func `locks that other processes hold block no thread of the app`() async throws {
        let folder = try TemporaryFolder()
        let accounts = (0..<600).map { "account-\($0)" }
        try await folder.store(account: "free").save(.make(1))
        var holders: [CInt] = []
        for account in accounts {
            let file = open(folder.file("client,\(account).lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(flock(file, LOCK_EX) == 0)
            holders.append(file)
        }
        let (tries, tried) = AsyncStream<Void>.makeStream()
        let waiting = accounts.map { account in
            let layer = ObservedFileLayer(after: { if $0.function == "lock" { tried.yield() } })
            let store = RestrictedFileTokenStore<TestToken>(
                RestrictedFileItems(client: "client", account: account, folder: .at(folder.tokens), layer: layer))
            return Task { await (try await store.lock(within: .seconds(300))).unlock() }
        }
        var iterator = tries.makeAsyncIterator()
        for _ in accounts { await iterator.next() }
        // With a thread for each, libdispatch would have none left.
        await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
        #expect(try await folder.store(account: "free").load() == .make(1))
        try await folder.store(account: "free").lock(within: .seconds(300)).unlock()
        for holder in holders { close(holder) }
        for task in waiting { try await task.value }
    }

    @Test func `a process makes at most 2000 tries in a second`() {
        var turns = LockPace.Turns()
        let second = UInt64(1_000_000_000)
        var last = UInt64(0)
        // 5000 pauses end within the first tenth of a second.
        for number in 0..<UInt64(5_000) {
            let turn = turns.take(at: 10 * second + number * 20_000)
            #expect(turn >= 10 * second + number * 20_000 && (number == 0 || turn - last >= 500_000))
            last = turn
        }
        #expect(last - 10 * second >= 2 * second)
        // After a while without tries, the next one is made at once.
        #expect(turns.take(at: 20 * second) == 20 * second)
    }

    @Test func `a turn is taken if one is free, and the next one is free half a millisecond later`() {
        var turns = LockPace.Turns()
        let times: [UInt64] = [1_000_000, 1_000_000, 1_499_999, 1_500_000]
        let taken = times.map { turns.takes(at: $0) }
        #expect(taken == [true, false, false, true])
    }

    @Test func `access is released when its value is dropped`() async throws {
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

    @Test func `access is held within an activity, and released when that expires`() async throws {
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

    @Test func `access whose activity expired during the wait is not taken`() async throws {
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
