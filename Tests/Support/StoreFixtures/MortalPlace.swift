// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
package import RequestAuthorization

/// Items in memory that outlive processes.
package final class ItemPlace: Sendable {
    private let items = Lock<[String: InMemoryItems]>([:])

    package init() {}

    fileprivate func sibling(named name: String, kind: String) -> InMemoryItems {
        items.withLock { items in
            let item = items["\(kind) \(name)"] ?? InMemoryItems()
            items["\(kind) \(name)"] = item
            return item.sibling()
        }
    }
}

/// The items of an ``ItemPlace`` as a process with a fate uses them.
package struct MortalPlace: NamedItems {
    private let place: ItemPlace
    private let fate: Fate

    package init(_ place: ItemPlace, _ fate: Fate) { (self.place, self.fate) = (place, fate) }

    package func item(named name: String, kind: String) -> MortalItems {
        MortalItems(place.sibling(named: name, kind: kind), fate)
    }
}

/// A shared byte store as a process with a fate uses it.
package struct MortalItems: SharedByteStore {
    private let items: InMemoryItems
    private let fate: Fate

    fileprivate init(_ items: InMemoryItems, _ fate: Fate) {
        (self.items, self.fate) = (items, fate)
        fate.atEnd { items.crash() }
    }

    package func load() async throws -> Data? { try await call("load") { try await items.load() } }
    package func save(_ item: Data) async throws { try await call("save") { try await items.save(item) } }
    package func clear() async throws { try await call("clear") { try await items.clear() } }
    package func clear(_ item: Data) async throws { try await call("clear") { try await items.clear(item) } }
    package func setAside(_ item: Data) async throws -> String? {
        try await call("set aside") { try await items.setAside(item) }
    }
    package func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        try await call("save") { try await items.save(item, ending: intent, if: condition) }
    }
    package func lock(within limit: Duration) async throws -> TokenStoreLock {
        var granted: TokenStoreLock?
        do {
            return try await call("lock") {
                let lock = try await items.lock(within: limit)
                granted = lock
                return lock
            }
        } catch {
            await granted?.unlock()  // Nobody has what an answer would have given.
            throw error
        }
    }
    package func loadWithIntent() async throws -> ItemWithIntent {
        try await call("load") { try await items.loadWithIntent() }
    }
    package func saveIntent(_ intent: Data?) async throws {
        try await call("intent") { try await items.saveIntent(intent) }
    }

    private func call<Result>(_ name: String, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await fate.call(name, body)
        } catch is Fate.NoAnswer {
            throw TokenStoreError(.unavailable, "no answer; try again")
        }
    }
}
