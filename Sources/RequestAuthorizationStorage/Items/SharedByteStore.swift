// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// An item that several processes use at a time.
///
/// A typed store on it, with a ``SharedCodableTokenStore``, is a `SharedTokenStore`: its processes refresh a rotating token once.
public protocol SharedByteStore: ByteStore {
    /// Takes exclusive access for a whole refresh, waiting for a sibling that has it. Saving does not need it.
    ///
    /// - Parameter limit: how long to wait.
    /// - Returns: the access; it ends with `unlock()` or with the process.
    /// - Throws: ``TokenStoreError`` if it was not to be had in time; `CancellationError` at once when the task is cancelled.
    func lock(within limit: Duration) async throws -> TokenStoreLock

    /// Reads the item together with the intent: the small item beside it that says that a refresh is under way.
    func loadWithIntent() async throws -> ItemWithIntent

    /// Saves if what is kept meets a condition, in one step: nobody changes the item between the look and the save.
    ///
    /// - Parameters:
    ///   - item: what to keep.
    ///   - intent: the one that is over once the item is durable. It is removed then, unless another stands there.
    ///   - condition: asked once with what is kept or why nothing is, on a thread that it must not block; what it throws, `save`
    ///     throws, and nothing is changed.
    func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> ItemSaveResult

    /// Removes the item if it is still this one, in one step.
    func clear(_ item: Data) async throws

    /// Replaces the intent, durably, or removes it with `nil`. Only who has exclusive access does that.
    ///
    /// - Parameter intent: at most 2000 bytes.
    func saveIntent(_ intent: Data?) async throws
}

extension SharedByteStore {
    /// Saves, and leaves the intent as it is; see ``save(_:ending:if:)``.
    public func save(
        _ item: Data, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> ItemSaveResult {
        try await save(item, ending: nil, if: condition)
    }
}

/// What a shared item store keeps, read at once.
public struct ItemWithIntent: Sendable, RedactedDescription {
    /// The item; `nil` if nothing is kept.
    public let item: Data?
    /// Why nothing is kept, if nothing is.
    public let absence: TokenAbsence
    /// The intent; `nil` if there is none. Empty if there is one that cannot be read, for instance because the machine stopped
    /// while it was written.
    public let intent: Data?

    public init(_ item: Data?, absence: TokenAbsence = .gone, intent: Data?) {
        self.item = item
        self.absence = absence
        self.intent = intent
    }
}

/// What became of a conditional save of an item.
public enum ItemSaveResult: Hashable, Sendable, RedactedDescription {
    /// It is kept, durably.
    case saved
    /// The condition was not met, and nothing was changed: this is what is kept.
    case refused(Data?)
}
