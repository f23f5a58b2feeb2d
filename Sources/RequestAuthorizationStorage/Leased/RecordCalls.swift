// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The calls of a ``RecordDatabase``, each with a limit.
struct RecordCalls: Sendable {
    let database: any RecordDatabase
    let clock: any AuthorizationClock
    /// How long one operation of a store may take, counted from its call.
    let limit: Duration

    /// The time that an operation has left.
    struct Budget: Sendable {
        /// An uptime.
        let end: Duration
        fileprivate let reads = Lock(0)
    }

    var budget: Budget { Budget(end: clock.uptime + limit) }

    /// Reads a record, from the eleventh read of an operation on after a pause. A replica that lags shows again and
    /// again what can no longer be replaced.
    func read(_ key: String, _ budget: Budget) async throws -> DatabaseRecord? {
        let count = budget.reads.withLock { reads in
            reads += 1
            return reads
        }
        if count > 10 { try await clock.sleep(for: .milliseconds(20)) }
        return try await call(budget) { [database] in try await database.read(key) }
    }

    /// Replaces a record. Without an answer it asks once more, and then whether the record is the new one.
    ///
    /// - Throws: `TokenStoreError`; `CancellationError`. The record may have been replaced then, unless
    ///   ``isRefusal(_:)``.
    func replace(_ old: Data?, by new: Data?, at key: String, _ budget: Budget) async throws -> Bool {
        guard new?.count ?? 0 <= LeasedRecord.limit else {
            throw TokenStoreError(
                .unsuitable, "the record would have more than \(LeasedRecord.limit) bytes; make the token smaller",
                underlying: LeasedRecord.TooLarge())
        }
        let ask = { @Sendable [database] in try await database.replace(old, by: new, at: key) }
        do {
            return try await call(budget, ask)
        } catch let lost where !Self.isRefusal(lost) && !Task.isCancelled {
            do {
                if try await call(budget, ask) { return true }
                return try await confirm(new, at: key, budget)
            } catch {
                // A refusal of the second request says nothing of the first one.
                throw lost
            }
        }
    }

    /// Confirms what was read: a stale answer must not end a session, and one that is not durable yet is no success.
    func confirm(_ bytes: Data?, at key: String, _ budget: Budget) async throws -> Bool {
        try await call(budget) { [database] in try await database.replace(bytes, by: bytes, at: key) }
    }

    /// Tells the other hosts of a change.
    func announce(_ key: String, _ budget: Budget) async throws {
        try await call(budget) { [database] in await database.announce(key) }
    }

    /// Whether the database has certainly not written.
    static func isRefusal(_ error: any Error) -> Bool {
        guard let kind = (error as? TokenStoreError)?.kind else { return false }
        return kind == .noSpace || kind == .readOnly || kind == .unsuitable
    }

    // MARK: -

    /// Calls the database, and gives the call up at the end of the budget, even if the call ignores cancellation.
    private func call<Value: Sendable>(
        _ budget: Budget, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let remaining = budget.end - clock.uptime
        guard remaining > .zero else { throw overdue }
        return try await endingAtOnce(within: remaining, of: clock, else: overdue) {
            do {
                return try await body()
            } catch let error where !(error is TokenStoreError || error is CancellationError) {
                throw TokenStoreError(
                    .unavailable, "the database could not be asked; see the underlying error, and try again later",
                    underlying: error)
            }
        }
    }

    private var overdue: TokenStoreError {
        TokenStoreError(.timedOut, "the database has not answered within \(limit); look whether it is overloaded")
    }
}
