// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import RequestAuthorization

/// A token store for several processes that keeps its token in a shared item of bytes.
///
///     extension VaultTokenStore: SharedItemTokenStore {}      // where its items are a SharedTokenItemStore
public protocol SharedItemTokenStore<Token>: ItemTokenStore, SharedTokenStore where Items: SharedTokenItemStore {}

extension SharedItemTokenStore {
    public func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition
    ) async throws -> TokenSaveConflict<Token>? {
        try await save(stored, replacing: condition, decode: StoredTokenFormat.decode) { [items] in
            try await items.save($0, if: $1)
        }
    }

    public func openIntent() async throws -> RefreshIntent? {
        guard let data = try await items.loadIntent() else { return nil }
        if let intent = RefreshIntentFormat.decode(data) { return intent }
        // Whose it was is lost. If it was that of the token which is kept, its grace period is running; if not, one refresh
        // more does no harm.
        return try await load().map {
            RefreshIntent(session: $0.version.session, generation: $0.version.generation, beganAt: $0.obtainedAt)
        }
    }

    public func setIntent(_ intent: RefreshIntent?) async throws {
        try await items.saveIntent(try intent.map(RefreshIntentFormat.encode))
    }

    /// - Parameters:
    ///   - decode: reads an item.
    ///   - put: saves one if what is kept meets a condition, and returns what stands in the way.
    func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition,
        decode: @escaping @Sendable (Data) throws -> StoredToken<Token>,
        put: (Data, @escaping @Sendable (Data?) throws -> Bool) async throws -> Data?
    ) async throws -> TokenSaveConflict<Token>? {
        let item = try StoredTokenFormat.encode(stored)
        do {
            let obstacle = try await put(item) { kept in condition.allows(try kept.map { try decode($0) }) }
            return try obstacle.map { TokenSaveConflict(try decode($0)) }
        } catch let error as UnreadableItem {
            let report = try await error.reported(by: items, setsAside: condition == .anything)
            guard condition == .anything else { throw report }
            // Somebody signed in: that must not fail because of what was there, which is out of the way if it can be.
            let obstacle = try await items.save(item) { $0 == nil || $0 == error.item }
            return try obstacle.map { TokenSaveConflict(try decode($0)) }
        }
    }
}
