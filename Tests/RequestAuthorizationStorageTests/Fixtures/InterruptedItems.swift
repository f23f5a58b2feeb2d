// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

/// A shared store of bytes in which something happens right before the next save.
final class InterruptedItems: SharedTokenItemStore {
    private let items: InMemoryItems
    private let interruption = Lock<(@Sendable () async throws -> Void)?>(nil)

    init(_ items: InMemoryItems) { self.items = items }

    func interrupt(_ body: @escaping @Sendable () async throws -> Void) { interruption.withLock { $0 = body } }

    func save(_ item: Data, if condition: @Sendable (Data?) throws -> Bool) async throws -> Data? {
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        try await interruption?()
        return try await items.save(item, if: condition)
    }

    func load() async throws -> Data? { try await items.load() }
    func save(_ item: Data) async throws { try await items.save(item) }
    func clear() async throws { try await items.clear() }
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }
    func loadIntent() async throws -> Data? { try await items.loadIntent() }
    func saveIntent(_ intent: Data?) async throws { try await items.saveIntent(intent) }
}
