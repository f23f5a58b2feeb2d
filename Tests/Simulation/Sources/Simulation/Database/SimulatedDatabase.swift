// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import RequestAuthorization
import RequestAuthorizationStorage

/// The records that all hosts share. It is durable and linearizable. Calls and answers may be slow or lost.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedDatabase: @unchecked Sendable {
    struct NoAnswer: Error {}

    private let scheduler: Scheduler
    private var generator: Generator
    private var records: [String: (bytes: Data, since: SimulatedTime)] = [:]
    private var listeners: [Int: (process: SimulatedProcess, yield: @Sendable (RecordChange) -> Void)] = [:]
    private var count = 0
    private let ledger: Ledger
    /// Whether the database tells how long a record is unchanged.
    let hasClock: Bool
    var isFull = false
    /// The percentage of calls that are lost, and of answers.
    var losses = 0
    /// Called when the item changes.
    var onItem: ((Data?) -> Void)?
    /// Called when a process replaces a record.
    var onWrite: ((SimulatedProcess) -> Void)?

    init(_ scheduler: Scheduler, _ ledger: Ledger, seed: UInt64) {
        (self.scheduler, self.ledger) = (scheduler, ledger)
        generator = Generator(seed: seed, stream: 3)
        hasClock = generator.chance(50)
    }

    func remove(_ process: SimulatedProcess) { listeners = listeners.filter { $0.value.process !== process } }

    func listenerCount(of process: SimulatedProcess) -> Int { listeners.values.count { $0.process === process } }

    fileprivate func listen(_ process: SimulatedProcess, _ yield: @escaping @Sendable (RecordChange) -> Void) -> Int {
        count += 1
        listeners[count] = (process, yield)
        return count
    }

    fileprivate func leave(_ number: Int) { listeners[number] = nil }

    fileprivate func announce(_ key: String) {
        for number in listeners.keys.sorted() {
            guard let listener = listeners[number] else { continue }
            if generator.below(100) < losses { continue }
            scheduler.after(generator.time(500_000...20_000_000), in: listener.process) { [ledger] in
                ledger.remark(listener.process, "hears of \(key)")
                listener.yield(.record(key))
            }
        }
    }

    /// Connections work again. As announcements may be lost, each host hears that any record may have changed.
    func recover() {
        guard losses > 0 else { return }
        losses = 0
        for number in listeners.keys.sorted() {
            guard let listener = listeners[number] else { continue }
            scheduler.after(generator.time(500_000...20_000_000), in: listener.process) { listener.yield(.all) }
        }
    }

    // MARK: Calls

    fileprivate func read(_ key: String) -> DatabaseRecord? {
        records[key].map {
            DatabaseRecord($0.bytes, unchangedFor: hasClock ? .nanoseconds(scheduler.now - $0.since) : nil)
        }
    }

    fileprivate func replace(_ old: Data?, by new: Data?, at key: String) throws -> Bool {
        guard records[key]?.bytes == old else { return false }
        if old == new { return true }
        if isFull, new?.count ?? 0 > old?.count ?? 0 { throw TokenStoreError(.noSpace, "the database is full") }
        let former = records[key].flatMap { RecordView.item(of: $0.bytes) }
        records[key] = new.map { ($0, scheduler.now) }
        let item = new.flatMap(RecordView.item)
        if key == SimulatedRecords.key, item != former { onItem?(item) }
        return true
    }

    /// Makes a call for a process: the request travels, the database acts, and the answer travels.
    fileprivate func call<Value: Sendable>(
        _ name: String, _ process: SimulatedProcess, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let pending = Pending<Value>()
        let isLost = generator.below(100) < losses
        let isAnswerLost = generator.below(100) < losses
        let (there, back) = (delay(), delay())
        let fate = isLost ? ", lost" : isAnswerLost ? ", its answer is lost" : ""
        ledger.remark(process, "\(name)\(fate)")
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                pending.continuation = continuation
                if Task.isCancelled { return pending.end(.failure(CancellationError())) }
                // A connection that is lost reports it after a while, or never.
                if isLost { return fail(pending, in: process) }
                scheduler.after(there, in: scheduler.world) { [self] in
                    let result = Result { try body() }
                    ledger.remark(process, "\(name): \(result)")
                    if isAnswerLost { return fail(pending, in: process) }
                    scheduler.after(back, in: process) { pending.end(result) }
                }
            }
        } onCancel: {
            pending.end(.failure(CancellationError()))
        }
    }

    private func fail<Value: Sendable>(_ pending: Pending<Value>, in process: SimulatedProcess) {
        guard generator.chance(60) else { return }
        scheduler.after(generator.time(1_000_000...3_000_000_000), in: process) { pending.end(.failure(NoAnswer())) }
    }

    private func delay() -> SimulatedTime {
        if losses > 0, generator.chance(10) { return generator.time(10_000_000...6_000_000_000) }
        return generator.time(100_000...3_000_000)
    }
}

/// A call that waits for its answer.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class Pending<Value: Sendable>: @unchecked Sendable {
    var continuation: UnsafeContinuation<Value, any Error>?

    var isOver: Bool { continuation == nil }

    /// Ignores all results but the first.
    func end(_ result: Result<Value, any Error>) {
        let continuation = continuation
        self.continuation = nil
        continuation?.resume(with: result)
    }
}

/// The connection of one host.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
struct SimulatedRecords: RecordDatabase, @unchecked Sendable {
    static let key = "ada"
    /// The record of the item that all processes share beside the token.
    static let otherKey = "note"

    let database: SimulatedDatabase
    let process: SimulatedProcess

    func read(_ key: String) async throws -> DatabaseRecord? {
        try await database.call("read", process) { database.read(key) }
    }

    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        database.onWrite?(process)
        return try await database.call("replace", process) { try database.replace(old, by: new, at: key) }
    }

    var changes: AsyncStream<RecordChange>? {
        let (stream, continuation) = AsyncStream.makeStream(of: RecordChange.self)
        let number = database.listen(process) { continuation.yield($0) }
        continuation.onTermination = { [database] _ in database.leave(number) }
        return stream
    }

    func announce(_ key: String) async { _ = try? await database.call("announce", process) { database.announce(key) } }
}
