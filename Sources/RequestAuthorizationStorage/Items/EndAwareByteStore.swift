// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A shared byte store that treats tombstones in another way than tokens, and cannot see it in an encrypted item.
protocol EndAwareByteStore: SharedByteStore {
    /// Saves as ``SharedByteStore/save(_:ending:if:)`` does.
    ///
    /// - Parameter isEnd: whether the item is a tombstone; `nil` if the item tells it, because it is not encrypted.
    func save(
        _ item: Data, ending intent: Data?, isEnd: Bool?,
        if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data>

    /// Whether the store has this item. What was read may be stale, and must not refuse a save by itself.
    func confirms(_ item: Data) async throws -> Bool
}
