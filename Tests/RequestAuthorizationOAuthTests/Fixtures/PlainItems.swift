// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationStorage
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
