// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A place for any number of items of bytes, each with a name and a lock: a folder of files, the Keychain, an app group.
///
///     pendingSignIns: .items(.default(client: "CLIENT_ID"))
///
/// `RequestAuthorizationStorage` has `.default(client:)`, `.tool(client:)` and `.appGroup(_:client:)`. Here a program keeps
/// what is not a token and must survive its end. A place of your own whose items are a ``SharedByteStore`` needs one
/// function.
public protocol NamedItems: Sendable {
    associatedtype Item: ByteStore

    /// Returns the item with a name. It is opened on first use.
    ///
    /// Each call with the same name and kind returns a store of the same bytes.
    ///
    /// - Parameters:
    ///   - name: any text; upper and lower case differ. It is not secret.
    ///   - kind: a word for what the item holds, such as `sign-in`. Items of different kinds are different items.
    func item(named name: String, kind: String) -> Item

    /// Acquires exclusive access to an item, and waits while somebody else holds it. Reading and saving do not need it.
    ///
    /// It excludes all who may use the item at the same time: other processes too, if the place is shared.
    ///
    /// - Parameters:
    ///   - name: the name of the item.
    ///   - kind: the kind of the item.
    ///   - limit: how long to wait.
    /// - Returns: the lock. It is released by `unlock()` or when the process ends.
    /// - Throws: ``TokenStoreError`` if the limit is over; `CancellationError` at once when the task is cancelled.
    func lock(named name: String, kind: String, within limit: Duration) async throws -> TokenStoreLock
}

extension NamedItems where Item: SharedByteStore {
    /// The lock of the item itself.
    public func lock(named name: String, kind: String, within limit: Duration) async throws -> TokenStoreLock {
        try await item(named: name, kind: kind).lock(within: limit)
    }
}
