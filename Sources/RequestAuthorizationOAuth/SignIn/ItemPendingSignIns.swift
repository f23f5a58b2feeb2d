// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps sign-ins in a store of bytes, so that they survive a restart.
///
/// The system may end an app while its user is in the browser.
///
///     pendingSignIns: .items(.default(client: "CLIENT_ID"))     // of RequestAuthorizationStorage
///
/// In a place of `NamedItems`, and with a `SharedByteStore` such as a file, any number of objects may use the item at
/// the same time. Only one of them takes a sign-in. With any other store make one object. It keeps 32 sign-ins, which
/// is enough for apps and tools.
public final class ItemPendingSignIns<Items: ByteStore>: PendingSignInsInOnePlace, RedactedDescription {
    @usableFromInline let limit = 32
    private let items: Items
    private let serialTasks = SerialTasks()
    /// Excludes others during a change; `nil` if the item is changed under its own condition.
    private let exclusive: (@Sendable () async throws -> TokenStoreLock)?

    /// Creates a store of sign-ins. The store of bytes must not be that of a token.
    package init(_ items: Items) { (self.items, exclusive) = (items, nil) }

    /// Creates a store of sign-ins in one item of a place.
    package init<Place: NamedItems>(in place: Place) where Place.Item == Items {
        items = place.item(named: "pending", kind: "sign-in")
        let lock: @Sendable () async throws -> TokenStoreLock = {
            try await place.lock(named: "pending", kind: "sign-in", within: .seconds(30))
        }
        exclusive = items is any SharedByteStore ? nil : lock
    }

    @usableFromInline func kept() async throws -> PendingSignIns { try await read().kept }

    /// Reads, changes and saves, and does so again if another process has changed the item meanwhile.
    @usableFromInline func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout PendingSignIns) throws -> Value
    ) async throws -> Value {
        try await serialTasks.run { [self] in
            guard let exclusive else { return try await changed(body) }
            return try await exclusive().whileHeld { try await changed(body) }
        }
    }

    // MARK: -

    private func changed<Value>(_ body: (inout PendingSignIns) throws -> Value) async throws -> Value {
        while true {
            var (kept, item) = try await read()
            let before = kept
            let value = try body(&kept)
            if kept == before { return value }
            let new = try JSONEncoder.sorted.encode(Contents(signIns: kept))
            if try await save(new, replacing: item) { return value }
        }
    }

    private func read() async throws -> (kept: PendingSignIns, item: Data?) {
        guard let item = try await items.load() else { return (PendingSignIns(), nil) }
        if let contents = try? JSONDecoder().decode(Contents.self, from: item) { return (contents.signIns, item) }
        // A damaged item must not prevent sign-ins.
        _ = try await items.setAside(item)
        return (PendingSignIns(), item)
    }

    /// - Returns: `false` if the item has changed meanwhile.
    private func save(_ new: Data, replacing old: Data?) async throws -> Bool {
        guard let shared = items as? any SharedByteStore else {
            try await items.save(new)
            return true
        }
        return try await shared.save(new) { kept, _ in kept == nil || kept == old } == .saved
    }

    private struct Contents: Codable {
        var format = 1
        /// Distinguishes this change from the same change by a sibling: stores count equal bytes as saved.
        var change = UUID()
        let signIns: PendingSignIns
    }
}
