// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores a token as JSON in a `SharedByteStore`, for several processes.
///
///     extension VaultTokenStore: SharedCodableTokenStore {}      // where its items are a SharedByteStore
public protocol SharedCodableTokenStore<Token>: CodableTokenStore, SharedTokenStore where Items: SharedByteStore {}

extension SharedCodableTokenStore {
    public func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> { try await items.tokenWithIntent() }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await items.save(stored, replacing: condition, ending: intent)
    }

    /// Replaces whatever is stored. An item that cannot be decoded is set aside first.
    public func save(_ stored: StoredToken<Token>) async throws { try await items.replace(with: stored) }

    public func setIntent(_ intent: RefreshIntent?) async throws { try await items.saveIntent(intent) }
}
