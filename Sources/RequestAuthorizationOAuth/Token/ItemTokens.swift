// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token of a session in an item of bytes, as JSON.
struct ItemTokens<Items: ByteStore>: TokenStore, RedactedDescription {
    let items: Items

    func load() async throws -> StoredToken<OAuthToken>? {
        guard let item = try await items.load() else { return nil }
        return try await items.decoded(item)
    }

    func save(_ stored: StoredToken<OAuthToken>) async throws {
        try await items.save(try StoredTokenFormat.encode(stored))
    }

    func clear() async throws { try await items.clear() }
    var changes: AsyncStream<Void>? { items.changes }
    var isSharedBetweenDevices: Bool { items.isSharedBetweenDevices }
}

extension ItemTokens: SharedTokenStore where Items: SharedByteStore {
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }

    func loadWithIntent() async throws -> TokenWithIntent<OAuthToken> { try await items.tokenWithIntent() }

    func save(
        _ stored: StoredToken<OAuthToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<OAuthToken> {
        try await items.save(stored, replacing: condition, ending: intent)
    }

    func setIntent(_ intent: RefreshIntent?) async throws { try await items.saveIntent(intent) }
}
