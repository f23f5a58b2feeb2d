// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// How the stores of a process learn of changes.
struct RecordNewsTests {
    private let clock = ManualClock()
    private let records = MemoryRecords()

    /// How many of the streams have an element.
    private func told(_ streams: [AsyncStream<Void>]) async -> Int {
        var count = 0
        for stream in streams {
            // A cancelled task gets the element that is there, and waits for none.
            let isTold = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await stream.first { true } != nil
            }
            if await isTold.value { count += 1 }
        }
        return count
    }

    @Test(arguments: [(3_000, Duration.seconds(10) / 3_000), (50, .milliseconds(10))])
    func `after a lost connection the stores read again one after the other`(stores: Int, pause: Duration) async {
        let news = RecordNews(records, clock: clock)
        let streams = (0..<stores).compactMap { news.changes(of: .key("\($0)")) }
        #expect(streams.count == stores)
        records.report(.all)
        for _ in 1...4 {
            await clock.sleeper(for: pause)
            clock.advance(by: pause)
        }
        await clock.sleeper(for: pause)
        #expect(await told(streams) == 5)
        withExtendedLifetime(news) {}
    }

    @Test func `after a lost connection all stores have read again within ten seconds`() async {
        let news = RecordNews(records, clock: clock)
        let streams = (0..<3_000).compactMap { news.changes(of: .key("\($0)")) }
        records.report(.all)
        for _ in streams {
            await clock.sleepers(1)
            clock.advance(by: .seconds(10) / streams.count)
        }
        #expect(await told(streams) == streams.count)
        withExtendedLifetime(news) {}
    }

    @Test(.timeLimit(.minutes(5)))
    func `after the end of its stream the database is asked for another one, and the stores read again`() async throws {
        let news = RecordNews(records, clock: clock)
        let stream = try #require(news.changes(of: .key("ada")))
        for pause in [1, 2] {
            records.endChanges()
            await clock.sleeper(for: .seconds(pause))
            clock.advance(by: .seconds(pause))
            #expect(await stream.first { true } != nil)
        }
        records.report(.record("ada"))
        #expect(await stream.first { true } != nil)
        withExtendedLifetime(news) {}
    }

    @Test(.timeLimit(.minutes(5)))
    func `a database that reports no changes for a while is asked again for the next store`() async throws {
        let (later, change) = AsyncStream.makeStream(of: RecordChange.self)
        let streams = [AsyncStream<RecordChange> { nil }, nil, nil, later]
        let news = RecordNews(PausingRecords(streams: Lock(streams)), clock: clock)
        let first = try #require(news.changes(of: .key("ada")))
        await clock.sleeper(for: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await first.first { true } != nil)
        try #require(news.changes(of: .key("bob")) == nil)
        let second = try #require(news.changes(of: .key("bob")))
        for (name, stream) in [("ada", first), ("bob", second)] {
            change.yield(.record(name))
            #expect(await stream.first { true } != nil)
        }
        withExtendedLifetime(news) {}
    }

    @Test func `changes that a store has not noticed yet are one`() async throws {
        let news = RecordNews(records, clock: clock)
        let streams = ["ada", "bob"].compactMap { news.changes(of: .key($0)) }
        for _ in 1...3 { records.report(.record("ada")) }
        // The changes are told in their order.
        records.report(.record("bob"))
        #expect(await streams[1].first { true } != nil)
        #expect(await told([streams[0]]) == 1)
        #expect(await told([streams[0]]) == 0)
        withExtendedLifetime(news) {}
    }

    @Test func `who listens no more takes no change from the others of its record`() async throws {
        let news = RecordNews(records, clock: clock)
        let streams = ["ada", "bob"].compactMap { news.changes(of: .key($0)) }
        do { _ = news.changes(of: .key("ada")) }
        records.report(.record("ada"))
        records.report(.record("bob"))
        #expect(await streams[1].first { true } != nil)
        #expect(await told([streams[0]]) == 1)
        withExtendedLifetime(news) {}
    }

    @Test(.timeLimit(.minutes(5)))
    func `a stream is told of changes also after its store was released`() async throws {
        var news: RecordNews? = RecordNews(records, clock: clock)
        weak let followed = news
        let changes = news?.changes(of: .key("ada"))
        let stream = try #require(changes)
        news = nil
        try #require(followed != nil)
        records.report(.record("ada"))
        #expect(await stream.first { true } != nil)
    }

    @Test func `a database is followed no longer than somebody listens`() {
        var news: RecordNews? = RecordNews(records, clock: clock)
        weak let followed = news
        var stream = news?.changes(of: .key("ada"))
        news = nil
        withExtendedLifetime(stream) { #expect(followed != nil) }
        stream = nil
        #expect(followed == nil)
    }

    @Test func `who listens no more is forgotten`() async throws {
        final class Listener: Sendable {}
        let news = RecordNews(records, clock: clock)
        weak var listener: Listener?
        do {
            let object = Listener()
            listener = object
            _ = news.changes(of: .key("ada")) { _ = object }
        }
        #expect(listener == nil)
        withExtendedLifetime(news) {}
    }

    @Test func `a change of one record is told to its stores alone, and at once`() async throws {
        let news = RecordNews(records, clock: clock)
        let streams = ["ada", "bob", "ada"].compactMap { news.changes(of: .key($0)) }
        records.report(.record("ada"))
        for index in [0, 2] { #expect(await streams[index].first { true } != nil) }
        #expect(await told([streams[1]]) == 0)
        #expect(clock.sleeping.isEmpty)
        withExtendedLifetime(news) {}
    }

    @Test func `a database that is being asked for its changes holds up no store`() {
        let (asked, found) = (Lock<RecordNews?>(nil), Lock<[Bool]>([]))
        let news = RecordNews(
            AskedRecords {
                let end = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let changes = asked.withLock { $0 }?.changes(of: .key("bob"))
                    found.withLock { $0.append(changes != nil) }
                    end.signal()
                }
                let isHeldUp = end.wait(timeout: .now() + 50) == .timedOut
                found.withLock { $0.append(!isHeldUp) }
            }, clock: clock)
        asked.withLock { $0 = news }
        #expect(news.changes(of: .key("ada")) != nil)
        #expect(found.withLock { $0 } == [true, true])
        asked.withLock { $0 = nil }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a store that came while the database was being asked for its changes reads again`() async throws {
        let (asked, found) = (Lock<RecordNews?>(nil), Lock<[AsyncStream<Void>]>([]))
        let news = RecordNews(
            AskedRecords {
                guard let changes = asked.withLock({ $0 })?.changes(of: .key("bob")) else { return }
                found.withLock { $0.append(changes) }
            }, clock: clock)
        asked.withLock { $0 = news }
        let first = news.changes(of: .key("ada"))
        let stream = try #require(found.withLock { $0 }.first)
        // A change before that was reported to nobody.
        #expect(await stream.first { true } != nil)
        asked.withLock { $0 = nil }
        withExtendedLifetime(first) {}
    }
}

/// A database that runs a body when it is asked for its changes.
private struct AskedRecords: RecordDatabase {
    let onAsk: @Sendable () -> Void

    init(onAsk: @escaping @Sendable () -> Void) { self.onAsk = onAsk }

    func read(_ key: String) async throws -> DatabaseRecord? { nil }
    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool { true }

    var changes: AsyncStream<RecordChange>? {
        onAsk()
        return AsyncStream<RecordChange> { nil }
    }
}

/// A database that reports changes at times: it has a stream, or none, for each time it is asked.
private struct PausingRecords: RecordDatabase {
    let streams: Lock<[AsyncStream<RecordChange>?]>

    func read(_ key: String) async throws -> DatabaseRecord? { nil }
    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool { true }

    var changes: AsyncStream<RecordChange>? { streams.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
