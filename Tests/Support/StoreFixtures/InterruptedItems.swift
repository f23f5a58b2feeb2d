// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import Foundation
package import RequestAuthorization

/// A shared byte store that runs a function right before the next save.
package final class InterruptedItems<Items: SharedByteStore>: SharedByteStore {
    private let items: Items
    private let interruption = Lock<(@Sendable () async throws -> Void)?>(nil)

    package init(_ items: Items) { self.items = items }

    package func interrupt(_ body: @escaping @Sendable () async throws -> Void) { interruption.withLock { $0 = body } }

    package func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        try await interruption?()
        return try await items.save(item, ending: intent, if: condition)
    }

    package func load() async throws -> Data? { try await items.load() }
    package func save(_ item: Data) async throws { try await items.save(item) }
    package func clear(_ item: Data) async throws { try await items.clear(item) }
    package func clear() async throws { try await items.clear() }
    package func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }
    package func loadWithIntent() async throws -> ItemWithIntent { try await items.loadWithIntent() }
    package func saveIntent(_ intent: Data?) async throws { try await items.saveIntent(intent) }
}
