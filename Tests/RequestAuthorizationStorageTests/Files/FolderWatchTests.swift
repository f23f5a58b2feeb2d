// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
@_spi(FileLayer) @_spi(FileQueue) @testable import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.serialized, .timeLimit(.minutes(5))) struct FolderWatchTests {
    @Test func `a change that cannot be read because too many files are open is read again`() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        try await folder.store().save(.make(1))
        let failures = Lock(0)
        let store = folder.store(
            on: ObservedFileLayer(before: { call in
                guard call == FileCall(function: "open", name: "client,me.token") else { return }
                let isDue = failures.withLock { failures in
                    defer { failures = max(0, failures - 1) }
                    return failures > 0
                }
                if isDue { throw FileError("openat", EMFILE) }
            }))
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(clock: clock), token: nil, store: store, clock: clock)
        var events = auth.events.makeAsyncIterator()
        #expect(try await auth.validToken().name == "test-credential-1")
        failures.withLock { $0 = 2 }
        try await folder.store().save(.make(2))
        for pause in [Duration.milliseconds(500), .seconds(1)] {
            await clock.sleeper(for: pause)
            clock.advance(by: pause)
        }
        while let event = await events.next(), event.kind != .tokenAdopted {}
        #expect(try await auth.validToken().name == "test-credential-2")
        #expect(failures.withLock { $0 } == 0)
    }

    @Test func `each change is announced within a second`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(0))
        let clock = ContinuousClock()
        var iterator = try #require(other.changes).makeAsyncIterator()
        #expect(try await other.load() == .make(0))
        // Measures the quickest notice: on a busy machine most may be late, and the disk may be slow.
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

    @Test func `a folder that is created later is followed too, and one that is replaced`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        var iterator = try #require(other.changes).makeAsyncIterator()
        #expect(try await other.load() == nil)
        for generation in 1...3 {
            try await one.save(.make(generation))
            repeat { #expect(await iterator.next() != nil) } while try await other.load() != .make(generation)
            try FileManager.default.removeItem(atPath: folder.tokens)
            repeat { #expect(await iterator.next() != nil) } while try await other.load() != nil
        }
    }

    @Test func `an item that is set aside is no sign-out`() async throws {
        let folder = try TemporaryFolder()
        let (one, other) = (folder.store(), folder.store())
        try await one.save(.make(1))
        var iterator = try #require(other.changes).makeAsyncIterator()
        #expect(try await other.load() == .make(1))
        try folder.write("damaged", to: "client,me.token")
        await #expect(throws: TokenStoreError.self) { try await one.load() }
        #expect(folder.names.contains("client,me.corrupt-1"))
        #expect(await iterator.next() != nil)
        let kept = try await other.loadWithIntent()
        #expect(kept.stored == nil && kept.absence == .setAside)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "open files are listed there"))
    func `with any number of followed items no file is open, and there is one inotify instance`() async throws {
        let folder = try TemporaryFolder()
        let accounts = (0..<200).map { "account-\($0)" }
        let stores = accounts.map { folder.store(account: $0) }
        var iterators: [AsyncStream<Void>.AsyncIterator] = []
        for store in stores {
            try await store.save(.make(0))
            iterators.append(try #require(store.changes).makeAsyncIterator())
            #expect(try await store.load() == .make(0))
        }
        #expect(try openNames(in: folder) == [])
        #expect(try openFiles().filter { $0.contains("inotify") }.count == 1)
        for index in stores.indices {
            try await folder.store(account: accounts[index]).save(.make(1))
            #expect(await iterators[index].next() != nil)
        }
        #expect(try openNames(in: folder) == [])
    }

    @Test func `two spellings of a folder are followed separately, and one can be left`() async throws {
        let folder = try TemporaryFolder()
        let other = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: folder.path)
        let one = folder.store()
        try await one.save(.make(0))
        let two = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(other + "/tokens"))
        var news = try #require(one.changes).makeAsyncIterator()
        #expect(try await one.load() == .make(0))
        let listener = Task {
            var news = try #require(two.changes).makeAsyncIterator()
            #expect(try await two.load() == .make(0))
            try await one.save(.make(1))
            #expect(await news.next() != nil)
        }
        try await listener.value
        #expect(await news.next() != nil)
        // The second one has left: the system's watch is still there for the first.
        try await one.save(.make(2))
        #expect(await news.next() != nil)
    }

    #if os(Linux)
    /// One instance of the kernel is enough for a process: this test has one of its own.
    ///
    /// The handler of one folder is busy, so that the kernel cannot deliver more than its queue holds.
    @Test func `after lost notices a folder is followed anew`() async throws {
        let (busy, other) = (try TemporaryFolder(), try TemporaryFolder())
        for folder in [busy, other] { try await folder.store().save(.make(1)) }
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let folders = try [busy, other].map { folder in
            let place = TokenFolder.at(folder.tokens).folder(SystemFileLayer())
            return try #require(try place.open())
        }
        let instance = try #require(InotifyInstance())
        let (notices, notice) = AsyncStream.makeStream(of: FolderNotices.Notice.self)
        let isFirst = Lock(true)
        let first = folders[0].withNumber { number in
            instance.add(number) { _ in
                guard isFirst.exchange(false) else { return }
                isBusy.signal()
                goOn.wait()
            }
        }
        let second = folders[1].withNumber { number in instance.add(number) { notice.yield($0) } }
        chmod(busy.file("client,me.token"), 0o600)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isBusy.wait()
                continuation.resume()
            }
        }
        // Equal neighbours would count once.
        let files = ["client,me.token", "client,me.guard"].map { busy.file($0) }
        for number in 0..<40_000 { chmod(files[number % 2], 0o600) }
        goOn.signal()
        for await notice in notices {
            guard case .folder = notice else { continue }
            break
        }
        for id in [first, second].compactMap(\.self) { instance.remove(id) }
    }
    #endif

    @Test func `a folder that is removed while it begins to be followed is followed again`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let place = TokenFolder.at(folder.tokens).folder(SystemFileLayer())
        let hasGone = Lock(false)
        let queue = DispatchFileQueue("test")
        let watch = FolderWatch(place, on: queue) { number, handler in
            let subscription = FolderNotices.follow(number, handler)
            let isFirst = hasGone.withLock { hasGone in
                defer { hasGone = true }
                return !hasGone
            }
            guard isFirst else { return subscription }
            // As if its folder had been removed, and another one made.
            handler(.folder)
            return FolderNotices.follow(number) { _ in }
        }
        var changes = watch.changes(of: "client,me.token", readOn: queue).makeAsyncIterator()
        #expect(await changes.next() != nil)
        try await folder.store().save(.make(2))
        #expect(await changes.next() != nil)
    }

    @Test func `a listener without a watch is notified when another one follows the folder`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let place = TokenFolder.at(folder.tokens).folder(SystemFileLayer())
        let queue = DispatchFileQueue("test")
        let hasNotices = Lock(false)
        let watch = FolderWatch(place, on: queue) { number, handler in
            hasNotices.withLock { $0 } ? FolderNotices.follow(number, handler) : nil
        }
        var changes = watch.changes(of: "client,me.token", readOn: queue).makeAsyncIterator()
        // The start of following is queued before this.
        try await queue.run {}
        try await folder.store().save(.make(2))
        hasNotices.withLock { $0 = true }
        let other = watch.changes(of: "client,other.token", readOn: queue)
        #expect(await changes.next() != nil)
        withExtendedLifetime(other) {}
    }

    @Test func `a stream is told of changes also after its store was released`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let queue = DispatchFileQueue("test")
        var watch: FolderWatch? = FolderWatch(TokenFolder.at(folder.tokens).folder(SystemFileLayer()), on: queue)
        weak let followed = watch
        let stream = watch?.changes(of: "client,me.token", readOn: queue)
        var changes = try #require(stream).makeAsyncIterator()
        // The start of following is queued before this.
        try await queue.run {}
        watch = nil
        try #require(followed != nil)
        try await folder.store().save(.make(2))
        #expect(await changes.next() != nil)
    }

    /// Darwin tells only that a folder has changed.
    @Test func `a notice without a name is announced to the items that may have changed, and to locks`() async throws {
        let folder = try TemporaryFolder()
        let accounts = ["one", "other"]
        for account in accounts { try await folder.store(account: account).save(.make(1)) }
        let (handler, time) = (Lock<FolderNotices.Handler?>(nil), Lock(ContinuousClock.now))
        let queue = DispatchFileQueue("test")
        let watch = FolderWatch(TokenFolder.at(folder.tokens).folder(SystemFileLayer()), on: queue) { number, notices in
            handler.withLock { $0 = notices }
            return FolderNotices.follow(number) { _ in }
        } now: {
            time.withLock { $0 }
        }
        let heard = Lock<[String]>([])
        let names = accounts.map { "client,\($0).token" } + ["client,one.lock"]
        let ids = names.map { name in
            watch.listen(to: name, isItem: name.hasSuffix(".token")) { heard.withLock { $0.append(name) } }
        }
        /// What a notice announces, two seconds after the one before.
        func announced() async throws -> [String] {
            time.withLock { $0 += .seconds(2) }
            heard.withLock { $0 = [] }
            let notices = try #require(handler.withLock { $0 })
            notices(.someFile)
            try await queue.run {}
            return heard.withLock { $0.sorted() }
        }
        // Nothing was compared before. What was new at the last look may have changed within the resolution of times.
        for _ in 0..<2 { #expect(try await announced() == names.sorted()) }
        #expect(try await announced() == ["client,one.lock"])
        for (account, name) in zip(accounts, names) {
            try await folder.store(account: account).save(.make(2))
            for _ in 0..<2 { #expect(try await announced() == [name, "client,one.lock"].sorted()) }
            #expect(try await announced() == ["client,one.lock"])
        }
        try await folder.store(account: "one").clear()
        #expect(try await announced() == ["client,one.lock", "client,one.token"])
        #expect(try await announced() == ["client,one.lock"])
        try await folder.store(account: "one").save(.make(3))
        #expect(try await announced() == ["client,one.lock", "client,one.token"])
        for (name, id) in zip(names, ids).dropFirst() { watch.leave(name, id) }
        try FileManager.default.removeItem(atPath: folder.tokens)
        #expect(try await announced() == ["client,one.token"])
        watch.leave(names[0], ids[0])
    }

    @Test func `a folder with the same times may have changed within their resolution`() {
        let start = ContinuousClock.now
        let status = FileStatus(
            device: 1, inode: 2, mode: 0o40700, owner: 0, links: 2, size: 4096, modifiedAt: 5, changedAt: 5)
        var later = status
        later.changedAt = 6
        let looks: [(status: FileStatus?, time: Int)] = [
            (status, 0), (status, 500), (status, 1_100), (status, 1_600), (later, 2_100), (later, 2_600), (nil, 2_700),
            (nil, 2_800),
        ]
        var last: FolderLook?
        let answers = looks.map { last.lookAgain($0.status, at: start + .milliseconds($0.time)) }
        #expect(answers == [true, true, true, false, true, true, true, false])
    }

    @Test func `a listener that stops is forgotten, and leaves no descriptor open`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        let before = try openNames(in: folder)
        // All stores of a folder share it.
        let watch = SharedFolder.at(.at(folder.tokens), SystemFileLayer()).watch
        for _ in 0..<3 {
            let changes = try #require(store.changes)
            _ = try await store.load()
            #expect(watch.heard == ["client,me.token"])
            let task = Task { for await _ in changes {} }
            task.cancel()
            await task.value
            #expect(watch.heard == [])
        }
        // The end of the last listener is queued before this.
        _ = try await store.load()
        _ = try await store.load()
        #expect(try openNames(in: folder) == before)
    }

    /// The names of this process's open files in the folder; deleted ones have a remark.
    private func openNames(in folder: TemporaryFolder) throws -> [String] {
        try openFiles().filter { $0.hasPrefix(folder.path) }.map { String($0.split(separator: "/").last ?? "") }
    }

    /// The open files of this process.
    private func openFiles() throws -> [String] {
        #if os(Linux)
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        #else
        []
        #endif
    }
}
