// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A stored token as JSON in an item. `decode` may cache.

extension ByteStore {
    /// Decodes an item. One that cannot be decoded is reported, and set aside if it is damaged.
    package func decoded<Token: AuthorizationToken & Codable>(
        _ item: Data, _ decode: (Data) throws -> StoredToken<Token> = StoredTokenFormat.decode
    ) async throws -> StoredToken<Token> {
        do {
            return try decode(item)
        } catch let error as UnreadableItem {
            throw try await error.reported(by: self)
        }
    }
}

extension SharedByteStore {
    package func tokenWithIntent<Token: AuthorizationToken & Codable>(
        decode: (Data) throws -> StoredToken<Token> = StoredTokenFormat.decode
    ) async throws -> TokenWithIntent<Token> {
        let kept = try await loadWithIntent()
        let stored = if let item = kept.item { try await decoded(item, decode) } else { StoredToken<Token>?.none }
        return await contents(kept.item, stored, absence: kept.absence, intent: kept.intent)
    }

    package func saveIntent(_ intent: RefreshIntent?) async throws {
        try await saveIntent(try intent.map(RefreshIntentFormat.encode))
    }

    package func save<Token: AuthorizationToken & Codable>(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?,
        decode: @escaping @Sendable (Data) throws -> StoredToken<Token> = { try StoredTokenFormat.decode($0) }
    ) async throws -> SaveResult<StoredToken<Token>> {
        do {
            return try await put(stored, ending: intent, isSignIn: condition == .anything, decode: decode) {
                condition.allows(stored, over: $0, absence: $1)
            }
        } catch let error as TokenStoreError where error.kind == .noSpace && stored.token == nil {
            // The disk is full and the tombstone cannot be written. Removing the item ends the session for the siblings
            // too; the next try finds an empty store.
            if let item = try await load(), let kept = try? decode(item), condition.allows(stored, over: kept) {
                try await clear(item)
            }
            throw error
        }
    }

    /// Replaces whatever is stored. An item that cannot be decoded is set aside first.
    package func replace<Token: AuthorizationToken & Codable>(with stored: StoredToken<Token>) async throws {
        _ = try await put(stored, ending: nil, isSignIn: true, decode: StoredTokenFormat.decode) { _, _ in true }
    }

    /// Returns what was read, without a tombstone that is no longer needed. That one is removed.
    ///
    /// - Parameter stored: the decoded item.
    package func contents<Token>(
        _ item: Data?, _ stored: StoredToken<Token>?, absence: TokenAbsence, intent: Data?
    ) async -> TokenWithIntent<Token> {
        if let item, let stored, stored.isOldTombstone, await sweep(item) {
            return TokenWithIntent(nil, intent: intent.flatMap(RefreshIntentFormat.decode))
        }
        return TokenWithIntent(
            stored, absence: absence, intent: intent.flatMap { RefreshIntentFormat.decode($0, for: stored) })
    }

    // MARK: -

    private func put<Token: AuthorizationToken & Codable>(
        _ stored: StoredToken<Token>, ending intent: RefreshIntent?, isSignIn: Bool,
        decode: @escaping @Sendable (Data) throws -> StoredToken<Token>,
        if mayReplace: @escaping @Sendable (StoredToken<Token>?, TokenAbsence) -> Bool
    ) async throws -> SaveResult<StoredToken<Token>> {
        let item = try StoredTokenFormat.encode(stored)
        let intent = try intent.map(RefreshIntentFormat.encode)
        var former: Data?
        while true {
            do {
                return try await save(item, ending: intent) { [former] kept, absence in
                    // An equal item is that of an earlier try whose answer was lost. It may not be durable.
                    try kept == item || kept != nil && kept == former || mayReplace(kept.map(decode), absence)
                }.map(decode)
            } catch let error as UnreadableItem {
                let report = try await error.reported(by: self, isSignIn: isSignIn)
                // Damage does not end the session, and a sign-in must not fail because of an earlier item.
                guard former == nil, error.makesRoom(isSignIn: isSignIn) else { throw report }
                former = error.item
            }
        }
    }

    /// Removes a tombstone, or returns `false` if that fails or a refresh is under way. The next load tries again.
    private func sweep(_ item: Data) async -> Bool {
        guard let lock = try? await lock(within: .milliseconds(100)) else { return false }
        let isGone = (try? await clear(item)) != nil
        await lock.unlock()
        return isGone
    }
}

extension StoredToken {
    /// Whether it is a tombstone of more than 30 days: every process that could restore the session has seen it by now.
    fileprivate var isOldTombstone: Bool {
        guard case .signedOut = content else { return false }
        return SystemClock().now.timeIntervalSince(obtainedAt) > 30 * 86_400
    }
}

extension SaveResult<Data> {
    fileprivate func map<Token>(
        _ decode: (Data) throws -> StoredToken<Token>
    ) throws -> SaveResult<StoredToken<Token>> {
        switch self {
        case .saved: .saved
        case .refused(let item): .refused(try item.map(decode))
        }
    }
}
