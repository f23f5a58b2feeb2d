// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A shared store with a name of its own, which does what another one does.
@usableFromInline
package protocol SharedTokenStoreAround<Token>: SharedTokenStore {
    var base: any SharedTokenStore<Token> { get }
}

extension SharedTokenStoreAround {
    public func load() async throws -> StoredToken<Token>? { try await base.load() }
    public func save(_ stored: StoredToken<Token>) async throws { try await base.save(stored) }
    public func clear() async throws { try await base.clear() }
    public var changes: AsyncStream<Void>? { base.changes }
    public func lock(within limit: Duration) async throws -> TokenStoreLock { try await base.lock(within: limit) }
    public func loadWithIntent() async throws -> TokenWithIntent<Token> { try await base.loadWithIntent() }
    public func setIntent(_ intent: RefreshIntent?) async throws { try await base.setIntent(intent) }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await base.save(stored, replacing: condition, ending: intent)
    }
}
