// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import Foundation
package import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting

/// A byte store in memory, shared with its siblings as a file is shared by processes.
package final class InMemoryItems: SharedByteStore {
    private struct Contents {
        var item: Data?
        var absence = TokenAbsence.gone
        var intent: Data?
        var aside: [Data] = []
        var loadError: (any Error)?
    }

    private let contents: Lock<Contents>
    /// Used for exclusive access and changes only.
    private let access: InMemorySharedTokenStore<TestToken>

    package convenience init(_ item: Data? = nil) {
        self.init(contents: Lock(Contents(item: item)), access: InMemorySharedTokenStore())
    }

    private init(contents: Lock<Contents>, access: InMemorySharedTokenStore<TestToken>) {
        (self.contents, self.access) = (contents, access)
    }

    /// The store of another process.
    package func sibling() -> InMemoryItems { InMemoryItems(contents: contents, access: access.sibling()) }

    /// Ends the process of this store: its exclusive access is released.
    package func crash() { access.crash() }

    package var item: Data? {
        get { contents.withLock(\.item) }
        set { contents.withLock { ($0.item, $0.absence) = (newValue, .gone) } }
    }
    package var intent: Data? {
        get { contents.withLock(\.intent) }
        set { contents.withLock { $0.intent = newValue } }
    }
    /// The items that were set aside, in order.
    package var aside: [Data] { contents.withLock(\.aside) }

    package func fail(load error: (any Error)?) { contents.withLock { $0.loadError = error } }

    package func load() async throws -> Data? {
        try contents.withLock { contents in
            if let error = contents.loadError { throw error }
            return contents.item
        }
    }

    package func save(_ item: Data) async throws {
        self.item = item
        try await access.clear()
    }

    package func clear() async throws {
        item = nil
        try await access.clear()
    }

    package func clear(_ item: Data) async throws {
        contents.withLock { if $0.item == item { ($0.item, $0.absence) = (nil, .gone) } }
    }

    package func setAside(_ item: Data) async throws -> String? {
        contents.withLock { contents in
            guard contents.item == item else { return nil }
            contents.aside.append(item)
            (contents.item, contents.absence) = (nil, .setAside)
            return "aside-\(contents.aside.count)"
        }
    }

    package func save(
        _ item: Data, ending intent: Data?, if condition: @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        // Lets a sibling save in between.
        await Task.yield()
        let result: SaveResult<Data> = try contents.withLock { contents in
            // As with a file, an equal item counts as saved.
            guard try contents.item == item || condition(contents.item, contents.absence) else {
                return .refused(contents.item)
            }
            (contents.item, contents.absence) = (item, .gone)
            if intent != nil, contents.intent == intent { contents.intent = nil }
            return .saved
        }
        if result == .saved { try await access.clear() }
        return result
    }

    package func lock(within limit: Duration) async throws -> TokenStoreLock { try await access.lock(within: limit) }
    package func loadWithIntent() async throws -> ItemWithIntent {
        ItemWithIntent(try await load(), absence: contents.withLock(\.absence), intent: intent)
    }
    package func saveIntent(_ intent: Data?) async throws { self.intent = intent }
    package var changes: AsyncStream<Void>? { access.changes }
}

/// A token store with ``InMemoryItems``.
package struct InMemoryCodableTokenStore<Token: AuthorizationToken & Codable>: SharedCodableTokenStore {
    package let items: InMemoryItems

    package init(_ items: InMemoryItems = InMemoryItems()) { self.items = items }
}
