// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
@_spi(FileLayer) import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct ItemWatchTests {
    @Test(.timeLimit(.minutes(5)))
    func `a change that cannot be looked at for want of open files is looked at again`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let fails = Lock(false)
        let store = folder.store(
            on: ObservedFileLayer(before: { call in
                guard call == FileCall(function: "open", name: "client,me.token") else { return }
                let isDue = fails.withLock { fails in
                    defer { fails = false }
                    return fails
                }
                if isDue { throw FileError("openat", EMFILE) }
            }))
        var changes = try #require(store.changes).makeAsyncIterator()
        // On the thread of the watch, which has looked by then.
        #expect(try await store.load() == .make(1))
        fails.withLock { $0 = true }
        try await folder.store().save(.make(2))
        #expect(await changes.next() != nil)
        #expect(!fails.withLock { $0 })
    }

    @Test func `each change is announced within a second`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(0))
        let clock = ContinuousClock()
        var iterator = try #require(other.changes).makeAsyncIterator()
        #expect(try await other.load() == .make(0))
        // The quickest, from when the file is there: on a busy machine most may come late, and the disk may be slow.
        var quickest = Duration.seconds(60)
        for generation in 1...20 {
            try await one.save(.make(generation))
            let start = clock.now
            #expect(await iterator.next() != nil)
            quickest = min(quickest, clock.now - start)
            #expect(try await other.load() == .make(generation))
        }
        #expect(quickest < .seconds(1))
        try await one.clear()
        #expect(await iterator.next() != nil)
        #expect(try await other.load() == nil)
    }

    @Test func `a folder that is made later is followed too, and one that is exchanged`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        var iterator = try #require(other.changes).makeAsyncIterator()
        #expect(try await other.load() == nil)
        for generation in 1...3 {
            try await one.save(.make(generation))
            #expect(await iterator.next() != nil)
            try FileManager.default.removeItem(atPath: folder.tokens)
            #expect(await iterator.next() != nil)
        }
    }

    @Test func `what is set aside is no sign-out`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(1))
        _ = try await other.load()
        let changes = try #require(other.changes)
        let seen = Lock<[StoredToken<TestToken>?]>([])
        let follower = Task {
            for await _ in changes {
                let stored = try await other.load()
                seen.withLock { $0.append(stored) }
                if stored == .make(2) { return }
            }
        }
        _ = try await other.load()
        try folder.write("damaged", to: "client,me.token")
        await #expect(throws: TokenStoreError.self) { try await one.load() }
        #expect(folder.names.contains("client,me.corrupt-1"))
        // By the time that the change of another item has been announced, a change of this one would have been too.
        let marker = folder.store(account: "marker")
        var iterator = try #require(marker.changes).makeAsyncIterator()
        try await marker.save(.make(0))
        #expect(await iterator.next() != nil)
        _ = try await other.load()
        try await one.save(.make(2))
        try await follower.value
        #expect(seen.withLock { $0 } == [.make(2)])
    }

    /// The number of a file that is open is not given to another one.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "open files are listed there"))
    func `the file that was seen last is kept open, and no other`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(0))
        var iterator = try #require(other.changes).makeAsyncIterator()
        #expect(try await other.load() == .make(0))
        for generation in 1...3 {
            try await one.save(.make(generation))
            #expect(await iterator.next() != nil)
            _ = try await other.load()
            #expect(try openNames(in: folder).filter { $0.hasPrefix("client,me.token") } == ["client,me.token"])
        }
    }

    @Test func `who stops listening leaves nothing open`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        let before = try openFiles(in: folder)
        for _ in 0..<3 {
            let task = Task { for await _ in try #require(store.changes) {} }
            _ = try await store.load()
            task.cancel()
            _ = await task.result
        }
        // The end of the last one stands before this in the store's queue.
        _ = try await store.load()
        _ = try await store.load()
        #expect(try openFiles(in: folder) == before)
    }

    /// How many descriptors of this process lie in the folder.
    private func openFiles(in folder: TemporaryFolder) throws -> Int {
        #if os(Linux)
        try openNames(in: folder).count
        #else
        0
        #endif
    }

    /// The names of what this process has open in the folder; of what was deleted, with a remark.
    private func openNames(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(folder.path) }
            .map { String($0.split(separator: "/").last ?? "") }
    }
}
