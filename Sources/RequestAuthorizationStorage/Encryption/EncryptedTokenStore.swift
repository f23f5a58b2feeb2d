// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
public import RequestAuthorization

/// Keeps a token encrypted, in any store of bytes.
///
///     let items = RestrictedFileItems(client: "CLIENT_ID", account: "ada")
///     let store = EncryptedTokenStore<MyToken, _>(around: items, key: try .password(password))
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// What the store of bytes gets is an envelope that only the key opens, that shows a change of any bit, and that belongs to
/// this client and account. Client, account, session, generation and the names of key and cipher stand in it readable. An
/// older envelope that somebody puts back cannot be told from the newest; see `Documentation/Guide/Encryption.md`.
///
/// A token that was sealed with another key is an error of `load`, never "no token", and nothing is saved over it. What is
/// damaged is set aside where the store of bytes can do that. ``clear()`` removes whatever is there.
///
/// It serves several processes if the store of bytes does. On Linux it needs the trait `Crypto`.
public final class EncryptedTokenStore<Token: AuthorizationToken & Codable, Items: ByteStore>: CodableTokenStore {
    public let items: Items
    private let sealer: StoredTokenSealer<Token>
    private let serialTasks = SerialTasks()

    /// Makes a store; nothing is read yet, and no key derived.
    ///
    /// - Parameters:
    ///   - items: where the envelope is kept.
    ///   - key: what the next token is sealed with.
    ///   - oldKeys: what tokens may have been sealed with before. The next save, or ``reencrypt()``, replaces them.
    ///   - cipher: AES-GCM by default. Tokens that were sealed with another are opened all the same.
    ///   - client: the client id, at most 4096 bytes.
    ///   - account: whose token it is, at most 4096 bytes.
    public init(
        around items: Items, key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM, client: String,
        account: String
    ) {
        self.items = items
        sealer = StoredTokenSealer(key: key, oldKeys: oldKeys, cipher: cipher, client: client, account: account)
    }

    /// Makes a store around a restricted file, for the client and account of the file.
    ///
    /// - Parameters:
    ///   - items: where the envelope is kept.
    ///   - key: what the next token is sealed with.
    ///   - oldKeys: what tokens may have been sealed with before.
    ///   - cipher: AES-GCM by default.
    public convenience init(
        around items: Items, key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM
    ) where Items == RestrictedFileItems {
        self.init(
            around: items, key: key, oldKeys: oldKeys, cipher: cipher, client: items.client, account: items.account)
    }

    /// - Throws: ``TokenStoreError``: `wrongKey`, `corrupt` (it was set aside), `unreadable`; what the store of bytes and the
    ///   source of the key throw.
    public func load() async throws -> StoredToken<Token>? {
        try await opened(for: .load).opened?.stored
    }

    /// - Throws: ``TokenStoreError`` as ``load()`` does, if what is there cannot be opened and not be set aside either: it is
    ///   not replaced.
    public func save(_ stored: StoredToken<Token>) async throws {
        _ = try await replace(for: .signIn) { _, _ in stored }
    }

    /// Removes what is kept, also what cannot be opened.
    public func clear() async throws { try await serialTasks.run { [items] in try await items.clear() } }

    /// Seals what is kept again if it was not sealed with the current key, rounds and cipher.
    ///
    /// - Returns: whether anything had to be done.
    /// - Throws: as ``load()``.
    @discardableResult
    public func reencrypt() async throws -> Bool {
        try await replace(for: .reencryption) { stored, _ in stored }.isReplaced
    }

    // MARK: -

    private struct Found {
        let opened: StoredTokenSealer<Token>.Opened?
        /// Why there is nothing, if there is nothing.
        let absence: TokenAbsence
        let intent: Data?
    }

    enum Replacement: Sendable {
        case done
        case refused(StoredToken<Token>?)

        var isReplaced: Bool { if case .done = self { true } else { false } }
    }

    /// What an item is opened for: it decides what may be set aside.
    enum Purpose: Hashable, Sendable { case load, signIn, refresh, reencryption }

    /// Replaces what is kept by what a rule makes of it, if the rule does, and if nobody else replaces it meanwhile.
    ///
    /// The rule sees only what was opened, so no decision depends on bytes that anybody could have written.
    func replace(
        for purpose: Purpose, ending intent: Data? = nil,
        _ rule: @escaping @Sendable (StoredToken<Token>?, TokenAbsence) -> StoredToken<Token>?
    ) async throws -> Replacement {
        try await serialTasks.run { [self] in
            while true {
                try Task.checkCancellation()
                let found = try await opened(for: purpose)
                let kept = found.opened
                if purpose == .reencryption, kept?.isCurrent == true { return .refused(kept?.stored) }
                guard let stored = rule(kept?.stored, found.absence) else { return .refused(kept?.stored) }
                let item = try await sealer.seal(stored, after: kept)
                guard try await put(item, ending: intent, replacing: kept?.item) else { continue }
                if stored.token == nil { await (items as? RestrictedFileItems)?.noteEnded(item) }
                return .done
            }
        }
    }

    /// - Returns: whether the item that it was to replace was still there.
    private func put(_ item: Data, ending intent: Data?, replacing kept: Data?) async throws -> Bool {
        guard let shared = items as? any SharedByteStore else {
            try await items.save(item)
            return true
        }
        return try await shared.save(item, ending: intent) { found, _ in found == kept } == .saved
    }

    /// What is kept and can be opened. What cannot is set aside if it may be; a save then finds nothing in its way.
    private func opened(for purpose: Purpose) async throws -> Found {
        while true {
            let kept = try await read()
            guard let item = kept.item else { return Found(opened: nil, absence: kept.absence, intent: kept.intent) }
            do {
                return Found(opened: try await sealer.open(item), absence: .gone, intent: kept.intent)
            } catch let problem as EnvelopeProblem {
                let mayMove = problem.place == .setAside || problem.place == .makesRoom && purpose == .signIn
                let place = mayMove ? try await items.setAside(item) : nil
                if place == nil, try await items.load() != item { continue }
                if place != nil, purpose == .signIn || purpose == .refresh {
                    return Found(opened: nil, absence: .setAside, intent: kept.intent)
                }
                throw problem.error(place.map { "it was set aside as \($0)" } ?? "it was left where it is")
            }
        }
    }

    private func read() async throws -> ItemWithIntent {
        if let shared = items as? any SharedByteStore { return try await shared.loadWithIntent() }
        return ItemWithIntent(try await items.load(), intent: nil)
    }
}

extension EncryptedTokenStore: SharedTokenStore, SharedCodableTokenStore where Items: SharedByteStore {
    /// - Throws: as ``load()``.
    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        let found = try await opened(for: .load)
        let stored = found.opened?.stored
        if let opened = found.opened, let tombstone = OldTombstone(opened.stored, item: opened.item),
            await tombstone.sweep(from: items)
        {
            return TokenWithIntent(nil, intent: found.intent.flatMap(RefreshIntentFormat.decode))
        }
        return TokenWithIntent(
            stored, absence: found.absence, intent: found.intent.flatMap { RefreshIntentFormat.decode($0, for: stored) }
        )
    }

    /// - Throws: as ``save(_:)``; unlike a sign-in, a refreshed token does not make room for itself.
    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<Token> {
        let intent = try intent.map(RefreshIntentFormat.encode)
        do {
            let result = try await replace(for: condition == .anything ? .signIn : .refresh, ending: intent) {
                condition.allows($0, absence: $1) ? stored : nil
            }
            return switch result {
            case .done: .saved
            case .refused(let obstacle): .refused(obstacle)
            }
        } catch let error as TokenStoreError where error.kind == .noSpace && stored.token == nil {
            // As in SharedCodableTokenStore: the session must be over for everybody, although nothing can be written.
            if let kept = try await opened(for: .load).opened, condition.allows(kept.stored) {
                try await items.clear(kept.item)
            }
            throw error
        }
    }
}

extension EncryptedTokenStore: RedactedDescription {}
#endif
