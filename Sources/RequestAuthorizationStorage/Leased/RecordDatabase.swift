// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A database that many hosts share: it reads a record, and replaces one that has not changed.
///
///     struct MyRecords: RecordDatabase {
///         func read(_ key: String) async throws -> DatabaseRecord? { … }
///         func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool { … }
///     }
///     let tokens = try await LeasedTokens(database: MyRecords(), key: key)
///
/// This is all that ``LeasedTokens`` and ``LeasedTokenStore`` need: no lock, no transaction and no clock. Keys have at
/// most 512 bytes of UTF-8, and records at most 64 KiB. Nobody else may delete or change the records.
/// `Documentation/Guide/Fleet.md` has conformances for Redis and SQLite.
///
/// Test yours with `SharedTokenStoreChecks` of `RequestAuthorizationTesting`.
public protocol RecordDatabase: Sendable {
    /// Reads a record.
    ///
    /// It may be stale, for instance from a replica: no token request is sent, and no session ends, on its word alone.
    ///
    /// - Returns: the record, or `nil` if there is none.
    /// - Throws: any error if the database did not answer. Cancelling the task should end the call.
    func read(_ key: String) async throws -> DatabaseRecord?

    /// Replaces a record if it is the given one, in one atomic step.
    ///
    /// It must be linearizable: with replicas, ask the primary. It must be durable: once it has returned `true`, the new
    /// record survives a crash of the database. `replace(v, by: v)` confirms that the record is `v`, and durable.
    ///
    /// - Parameters:
    ///   - old: the record to replace, compared byte by byte; `nil` if there must be none.
    ///   - new: the new record; `nil` removes it.
    ///   - key: the key of the record.
    /// - Returns: `false` if the record is not `old`; nothing was changed then.
    /// - Throws: `TokenStoreError` of the kind `noSpace` or `readOnly` only if the database has refused to write. After
    ///   any other error the record may have been replaced, or may still be: the store asks again, and confirms.
    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool

    /// Yields the key of each record whose session another process has begun or ended. `nil` by default: a host then
    /// notices at its next refresh.
    ///
    /// ``LeasedTokens`` asks for it once, and again if it ends. It distributes the changes to its stores. After `nil` it
    /// asks when the next store listens.
    var changes: AsyncStream<RecordChange>? { get }

    /// Tells the other hosts that a session has begun or ended, so that it appears in their ``changes``. It does nothing
    /// by default.
    ///
    /// It is called after the record was replaced, and not for refreshes. A failure is ignored.
    func announce(_ key: String) async
}

extension RecordDatabase {
    public var changes: AsyncStream<RecordChange>? { nil }
    public func announce(_ key: String) async {}
}

/// A record as a ``RecordDatabase`` has read it.
public struct DatabaseRecord: Sendable, RedactedDescription {
    /// The record.
    public let bytes: Data
    /// How long the record has been unchanged, by the clock of the database; `nil` if the database does not tell. After a
    /// fail-over it must not tell that of a record which has the time of another server's clock.
    ///
    /// With it a process that lives for two seconds takes over the lease of a host that died. Without it a process must
    /// have watched the record for a whole lease.
    public let unchangedFor: Duration?

    /// Creates the answer of a read.
    ///
    /// - Parameters:
    ///   - bytes: the record as it was stored.
    ///   - unchangedFor: how long it has been unchanged, by the clock of the database.
    public init(_ bytes: Data, unchangedFor: Duration? = nil) {
        (self.bytes, self.unchangedFor) = (bytes, unchangedFor)
    }
}

/// A change that a ``RecordDatabase`` reports.
public enum RecordChange: Hashable, Sendable {
    /// The record with this key may have changed.
    case record(String)
    /// Any record may have changed, for instance while a connection was lost. The stores read theirs again, spread over
    /// some seconds.
    case all
}
