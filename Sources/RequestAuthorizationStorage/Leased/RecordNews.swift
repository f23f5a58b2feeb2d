// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Distributes the changes of a ``RecordDatabase`` to the stores of a process.
///
/// Correctness does not depend on it, because a refresh reads the record under its lease.
final class RecordNews: Sendable {
    private struct State {
        /// Called when a record may have changed.
        var listeners: [RecordName: [Int: @Sendable () -> Void]] = [:]
        /// The names by their keys, for the present naming.
        var names: [String: RecordName] = [:]
        var naming: RecordNaming?
        var lastNumber = 0
        /// Whether the database is followed, or is being asked for its changes.
        var isFollowing = false
        var task: Task<Void, Never>?
    }

    private let database: any RecordDatabase
    private let clock: any AuthorizationClock
    private let state = Lock(State())

    /// How long it takes at most until all stores have read their records again after a lost connection.
    static let spread = Duration.seconds(10)

    init(_ database: any RecordDatabase, clock: any AuthorizationClock) {
        (self.database, self.clock) = (database, clock)
    }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Uses other keys, because the database was emptied and made again.
    func rename(_ naming: @escaping RecordNaming) {
        state.withLock { state in
            state.naming = naming
            state.names = [:]
            for name in state.listeners.keys { if let key = name.key(naming) { state.names[key] = name } }
        }
    }

    /// Returns a stream of possible changes of a record; `nil` if the database reports none. It goes on without its store.
    ///
    /// - Parameter onChange: called before each element. It must not block.
    func changes(of name: RecordName, onChange: @escaping @Sendable () -> Void = {}) -> AsyncStream<Void>? {
        guard follows() else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[name, default: [:]][state.lastNumber] = {
                onChange()
                continuation.yield()
            }
            if let key = name.key(state.naming) { state.names[key] = name }
            return state.lastNumber
        }
        // Strong, because the store may be released while its stream is read.
        continuation.onTermination = { _ in self.leave(name, number) }
        return stream
    }

    // MARK: -

    private func leave(_ name: RecordName, _ number: Int) {
        state.withLock { state in
            state.listeners[name]?[number] = nil
            guard state.listeners[name]?.isEmpty == true else { return }
            state.listeners[name] = nil
            if let key = name.key(state.naming) { state.names[key] = nil }
        }
    }

    /// Begins to follow the database, if nobody has. Its code does not run under the lock: it may take time.
    ///
    /// - Returns: `false` if the database reports no changes.
    private func follows() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isFollowing = true }
            return !state.isFollowing
        }
        guard isFirst else { return true }
        guard let changes = database.changes else {
            state.withLock { $0.isFollowing = false }
            return false
        }
        let task = follow(changes)
        state.withLock { $0.task = task }
        tellAll()  // Who came meanwhile may have missed a change.
        return true
    }

    private func follow(_ changes: AsyncStream<RecordChange>) -> Task<Void, Never> {
        // It outlives the request that asked first, and keeps none of its task-local values.
        Task.detached { [weak self, database, clock] in
            var (next, pause) = (Optional(changes), Duration.seconds(1))
            while let changes = next {
                for await change in changes {
                    guard let self else { return }
                    tell(change)
                    pause = .seconds(1)
                }
                // The database has ended the stream, for instance with a connection. Changes may be missed meanwhile.
                guard (try? await clock.sleep(for: pause)) != nil else { return }
                pause = min(pause * 2, .seconds(60))
                next = database.changes
                // It reports none for now: the next store that listens makes it be asked again.
                if next == nil { self?.state.withLock { $0.isFollowing = false } }
                self?.tellAll()
            }
        }
    }

    private func tell(_ change: RecordChange) {
        switch change {
        case .record(let key):
            let listeners = state.withLock { state in state.names[key].flatMap { state.listeners[$0] } ?? [:] }
            for listener in listeners.values { listener() }
        case .all: tellAll()
        }
    }

    /// Tells all stores, spread over ``spread``: each of them reads its record.
    private func tellAll() {
        let all = state.withLock { $0.listeners.values.flatMap(\.values) }
        let pause = min(.milliseconds(10), Self.spread / max(1, all.count))
        Task.detached { [clock] in
            for listener in all.shuffled() {
                listener()
                guard (try? await clock.sleep(for: pause)) != nil else { return }
            }
        }
    }
}
