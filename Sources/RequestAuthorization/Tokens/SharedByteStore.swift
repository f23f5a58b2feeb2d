// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Durable storage for one item of bytes that several processes use at the same time.
///
/// A ``SharedCodableTokenStore`` on it is a `SharedTokenStore`: its processes refresh a rotating token only once.
public protocol SharedByteStore: ByteStore {
    /// Acquires exclusive access for a whole refresh, and waits while a sibling holds it. Saving does not need it.
    ///
    /// - Parameter limit: how long to wait.
    /// - Returns: the lock. It is released by `unlock()` or when the process ends.
    /// - Throws: ``TokenStoreError`` if the limit is over; `CancellationError` at once when the task is cancelled.
    func lock(within limit: Duration) async throws -> TokenStoreLock

    /// Reads the item and its intent: the durable note that a refresh is under way.
    func loadWithIntent() async throws -> ItemWithIntent

    /// Saves the item if the stored one meets a condition. The check and the save are one atomic step.
    ///
    /// - Parameters:
    ///   - item: the new item.
    ///   - intent: the intent of the refresh that this save completes. It is removed once the item is durable, unless
    ///     the store has another intent by then.
    ///   - condition: called with the stored item, or with the reason why there is none; again if that changes
    ///     meanwhile. It must not block its thread. If it throws, `save` throws the same error and changes nothing.
    /// - Returns: whether the item was saved, or the stored item.
    /// - Throws: ``TokenStoreError``, and the error of the condition.
    func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data>

    /// Removes the item if it equals this one. The check and the removal are one atomic step.
    func clear(_ item: Data) async throws

    /// Replaces the intent durably, or removes it. The caller must hold exclusive access.
    ///
    /// - Parameter intent: at most 2000 bytes, or `nil` to remove it.
    func saveIntent(_ intent: Data?) async throws
}

extension SharedByteStore {
    /// Saves the item if the stored one meets a condition, and keeps the intent; see ``save(_:ending:if:)``.
    package func save(
        _ item: Data, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> { try await save(item, ending: nil, if: condition) }
}

/// The contents of a ``SharedByteStore``, read in one step.
public struct ItemWithIntent: Sendable, RedactedDescription {
    /// The item, or `nil` if the store is empty.
    public let item: Data?
    /// Why the store is empty. Without meaning if it has an item.
    public let absence: TokenAbsence
    /// The intent, or `nil` if there is none. Empty if it cannot be read, for instance because the machine stopped
    /// during the write.
    public let intent: Data?

    public init(_ item: Data?, absence: TokenAbsence = .gone, intent: Data?) {
        (self.item, self.absence, self.intent) = (item, absence, intent)
    }
}
