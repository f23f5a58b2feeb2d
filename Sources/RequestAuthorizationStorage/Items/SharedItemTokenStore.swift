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
        let item = try StoredTokenFormat.encode(stored)
        do {
            return try await save(item, replacing: condition)
        } catch let error as UnreadableItem {
            let report = try await error.reported(by: items, setsAside: condition == .anything)
            guard condition == .anything else { throw report }
            // Somebody signed in: that must not fail because of what was there, which is out of the way if it can be.
            return try await items.save(item) { $0 == nil || $0 == error.item }.map(Self.conflict)
        }
    }

    public func openIntent() async throws -> RefreshIntent? {
        guard let data = try await items.loadIntent() else { return nil }
        if let intent = try? JSONDecoder().decode(RefreshIntent.self, from: data) { return intent }
        // Whose it was is lost. If it was that of the token which is kept, its grace period is running; if not, one refresh
        // more does no harm.
        return try await load().map {
            RefreshIntent(session: $0.version.session, generation: $0.version.generation, beganAt: $0.obtainedAt)
        }
    }

    public func setIntent(_ intent: RefreshIntent?) async throws {
        try await items.saveIntent(try intent.map { try JSONEncoder().encode($0) })
    }

    // MARK: -

    private func save(_ item: Data, replacing condition: TokenSaveCondition) async throws -> TokenSaveConflict<Token>? {
        let obstacle = try await items.save(item) { kept in
            condition.allows(try kept.map { try StoredTokenFormat<Token>.decode($0) })
        }
        return try obstacle.map(Self.conflict)
    }

    private static func conflict(_ item: Data) throws -> TokenSaveConflict<Token> {
        TokenSaveConflict(try StoredTokenFormat<Token>.decode(item))
    }
}
