// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationStorage

/// A database in memory. It counts its calls, and lets a test answer or hold each of them.
final class MemoryRecords: RecordDatabase {
    enum Call: Equatable, CustomStringConvertible {
        case read, replace, confirm, announce

        var description: String {
            switch self {
            case .read: "read"
            case .replace: "replace"
            case .confirm: "confirm"
            case .announce: "announce"
            }
        }
    }

    struct NoAnswer: Error {}

    /// What happens to a call instead of its answer.
    enum Fault: Sendable {
        /// The call fails, and was not made.
        case lost
        /// The call was made, and its answer is lost.
        case answerLost
        /// The database is full.
        case full
        /// A read returns what the record was before its last change.
        case stale
        /// None: the fault after it is for the next call.
        case none
        /// The body runs before the call is made.
        case after(@Sendable (MemoryRecords) async -> Void)
    }

    struct Kept: Sendable {
        var bytes: Data
        var since: Duration
        var former: Data?
    }

    private struct State {
        var records: [String: Kept] = [:]
        var calls: [Call] = []
        var faults: [(Call, Fault)] = []
        var listeners: [AsyncStream<RecordChange>.Continuation] = []
    }

    private let clock: (any AuthorizationClock)?
    private let state = Lock(State())

    /// - Parameter clock: tells how long a record has been unchanged; `nil` for a database without a clock.
    init(clock: (any AuthorizationClock)? = nil) { self.clock = clock }

    // MARK: For tests

    /// The calls since the last time this was asked, without those for the place.
    func calls() -> [Call] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// The next call of a kind has a fault.
    func next(_ call: Call, _ fault: Fault) { state.withLock { $0.faults.append((call, fault)) } }

    func dropAll() { state.withLock { $0.records = [:] } }

    subscript(key: String) -> Data? {
        get { state.withLock { $0.records[key]?.bytes } }
        set {
            state.withLock {
                $0.records[key] = newValue.map { Kept(bytes: $0, since: clock?.uptime ?? .zero, former: nil) }
            }
        }
    }

    var keys: [String] { state.withLock { $0.records.keys.sorted() } }

    func report(_ change: RecordChange) { for listener in state.withLock({ $0.listeners }) { listener.yield(change) } }

    /// Ends the streams of changes so far, as a database that has lost its connection.
    func endChanges() {
        let listeners = state.withLock { state in
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.finish() }
    }

    // MARK: RecordDatabase

    func read(_ key: String) async throws -> DatabaseRecord? {
        let fault = note(.read, key)
        try await perform(fault)
        let kept = state.withLock { $0.records[key] }
        if case .stale? = fault { return kept?.former.map { DatabaseRecord($0) } }
        if case .answerLost? = fault { throw NoAnswer() }
        return kept.map { kept in DatabaseRecord(kept.bytes, unchangedFor: clock.map { $0.uptime - kept.since }) }
    }

    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        let fault = note(old == new ? .confirm : .replace, key)
        try await perform(fault)
        let isDone = state.withLock { state in
            let kept = state.records[key]
            guard kept?.bytes == old else { return false }
            if old != new {
                state.records[key] = new.map {
                    Kept(bytes: $0, since: clock?.uptime ?? .zero, former: kept?.bytes)
                }
            }
            return true
        }
        if case .answerLost? = fault { throw NoAnswer() }
        return isDone
    }

    var changes: AsyncStream<RecordChange>? {
        let (stream, continuation) = AsyncStream.makeStream(of: RecordChange.self)
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }

    func announce(_ key: String) async {
        _ = note(.announce, key)
        report(.record(key))
    }

    private func note(_ call: Call, _ key: String) -> Fault? {
        state.withLock { state in
            guard key != "request-authorization.place" else { return nil }
            state.calls.append(call)
            guard let index = state.faults.firstIndex(where: { $0.0 == call }) else { return nil }
            return state.faults.remove(at: index).1
        }
    }

    private func perform(_ fault: Fault?) async throws {
        switch fault {
        case .lost?: throw NoAnswer()
        case .full?: throw TokenStoreError(.noSpace, "the database is full")
        case .after(let body)?: await body(self)
        case .answerLost?, .stale?, Fault.none?, nil: break
        }
    }
}
