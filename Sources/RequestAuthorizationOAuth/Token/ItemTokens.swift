// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token of a session in an item of bytes, as JSON.
struct ItemTokens<Items: ByteStore>: TokenStore, RedactedDescription {
    let items: Items

    func load() async throws -> StoredToken<OAuthToken>? {
        guard let item = try await items.load() else { return nil }
        return try await decode(item)
    }

    func save(_ stored: StoredToken<OAuthToken>) async throws { try await items.save(try Self.encode(stored)) }
    func clear() async throws { try await items.clear() }
    var changes: AsyncStream<Void>? { items.changes }
    var isSharedBetweenDevices: Bool { items.isSharedBetweenDevices }

    // MARK: -

    /// Decodes an item. A damaged one is set aside, so that a sign-in can replace it.
    private func decode(_ item: Data) async throws -> StoredToken<OAuthToken> {
        if let stored = try? Self.read(item) { return stored }
        let place = try await items.setAside(item)
        // A decoding error may quote the token, so it is dropped.
        throw TokenStoreError(
            .corrupt,
            "the stored token is damaged; \(place.map { "it was set aside as \($0)" } ?? "it was left"); sign in again")
    }

    private static func read(_ item: Data) throws -> StoredToken<OAuthToken> {
        try JSONDecoder().decode(StoredToken<OAuthToken>.self, from: item)
    }

    private static func encode(_ value: some Encodable) throws -> Data { try JSONEncoder.sorted.encode(value) }
}

extension ItemTokens: SharedTokenStore where Items: SharedByteStore {
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await items.lock(within: limit) }

    func loadWithIntent() async throws -> TokenWithIntent<OAuthToken> {
        let kept = try await items.loadWithIntent()
        let stored = if let item = kept.item { try await decode(item) } else { StoredToken<OAuthToken>?.none }
        // An intent that cannot be read is taken for one of the stored token: one more refresh does no harm.
        let intent = kept.intent.flatMap { data in
            (try? JSONDecoder().decode(RefreshIntent.self, from: data))
                ?? stored.map { RefreshIntent($0.version, beganAt: $0.obtainedAt) }
        }
        return TokenWithIntent(stored, absence: kept.absence, intent: intent)
    }

    func save(
        _ stored: StoredToken<OAuthToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<OAuthToken> {
        let result = try await items.save(try Self.encode(stored), ending: try intent.map(Self.encode)) {
            kept, absence in
            guard let kept else { return condition.allows(StoredToken<OAuthToken>?.none, absence: absence) }
            guard let kept = try? Self.read(kept) else {
                return condition.allows(StoredToken<OAuthToken>?.none, absence: .setAside)
            }
            return condition.allows(stored, over: kept)
        }
        return switch result {
        case .saved: .saved
        case .refused(let item): .refused(item.flatMap { try? Self.read($0) })
        }
    }

    func setIntent(_ intent: RefreshIntent?) async throws { try await items.saveIntent(try intent.map(Self.encode)) }
}

extension RefreshIntent {
    fileprivate init(_ version: TokenVersion, beganAt: Date) {
        self.init(session: version.session, generation: version.generation, beganAt: beganAt)
    }
}
