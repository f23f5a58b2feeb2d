// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

/// An item of bytes that several stores share, as processes share a file.
final class InMemoryItems: SharedTokenItemStore {
    private struct Contents {
        var item: Data?
        var aside: [Data] = []
    }

    private let contents: Lock<Contents>

    init(_ item: Data? = nil) { contents = Lock(Contents(item: item)) }

    var item: Data? { contents.withLock(\.item) }
    var aside: [Data] { contents.withLock(\.aside) }

    func load() async throws -> Data? { item }
    func save(_ item: Data) async throws { contents.withLock { $0.item = item } }
    func clear() async throws { contents.withLock { $0.item = nil } }

    func setAside(_ item: Data) async throws -> String? {
        contents.withLock { contents in
            guard contents.item == item else { return nil }
            contents.aside.append(item)
            contents.item = nil
            return "aside"
        }
    }

    func save(_ item: Data, if condition: @Sendable (Data?) throws -> Bool) async throws -> Data? {
        // Lets a sibling come in between.
        await Task.yield()
        return try contents.withLock { contents in
            // As a file does: what stands there already counts as saved.
            guard try contents.item == item || condition(contents.item) else { return contents.item }
            contents.item = item
            return nil
        }
    }

    func lock(within limit: Duration) async throws -> TokenStoreLock { TokenStoreLock {} }
    func loadIntent() async throws -> Data? { nil }
    func saveIntent(_ intent: Data?) async throws {}
}

/// The same for one process: without conditional saves.
struct PlainItems: TokenItemStore {
    let items = InMemoryItems()

    func load() async throws -> Data? { try await items.load() }
    func save(_ item: Data) async throws {
        await Task.yield()
        try await items.save(item)
    }
    func clear() async throws { try await items.clear() }
}
