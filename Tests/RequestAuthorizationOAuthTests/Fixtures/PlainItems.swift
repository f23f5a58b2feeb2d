// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures

/// An item of bytes for one process: without conditional saves.
struct PlainItems: ByteStore {
    let items = InMemoryItems()

    func load() async throws -> Data? { try await items.load() }
    func save(_ item: Data) async throws {
        await Task.yield()
        try await items.save(item)
    }
    func clear() async throws { try await items.clear() }
}

/// A place whose items have no conditional saves, as in the Keychain.
struct PlainPlace: NamedItems {
    private let items = Lock<[String: PlainItems]>([:])
    /// Used for exclusive access only.
    private let access = InMemorySharedTokenStore<TestToken>()

    func item(named name: String, kind: String) -> PlainItems {
        items.withLock { items in
            let item = items["\(kind) \(name)"] ?? PlainItems()
            items["\(kind) \(name)"] = item
            return item
        }
    }

    func lock(named name: String, kind: String, within limit: Duration) async throws -> TokenStoreLock {
        try await access.lock(within: limit)
    }
}
