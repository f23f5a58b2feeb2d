// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Stores a token encrypted in any `ByteStore`.
///
///     let items = RestrictedFileItems(client: "CLIENT_ID", account: "ada")
///     let store = EncryptedTokenStore<MyToken, _>(around: items, key: try .password(password))
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// The byte store gets an envelope that belongs to this client and account. Only the key opens it, and a change of any
/// bit is detected. Client, account, session, generation and the names of key and cipher are not encrypted. The
/// store cannot detect that an older envelope was put back; see `Documentation/Guide/Encryption.md`.
///
/// A token that was encrypted with another key makes `load` throw, and is never overwritten. A damaged envelope is set
/// aside if the byte store can do that. ``clear()`` removes the item in any case.
///
/// Several processes may use it if they may use the byte store. On Linux it needs the trait `Crypto`.
public final class EncryptedTokenStore<Token: AuthorizationToken & Codable, Items: ByteStore>: CodableTokenStore {
    public let items: Items
    private let sealer: StoredTokenSealer<Token>
    private let serialTasks = SerialTasks()

    /// Creates a store. The item is read, and the key derived, on first use.
    ///
    /// - Parameters:
    ///   - items: the storage of the envelope.
    ///   - key: encrypts the next token.
    ///   - oldKeys: earlier keys, to decrypt with. The next save, or ``reencrypt()``, encrypts with `key`.
    ///   - cipher: encrypts the next token. The store also decrypts tokens of the other cipher.
    ///   - client: the client id, at most 4096 bytes.
    ///   - account: the owner of the token, at most 4096 bytes.
    public init(
        around items: Items, key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM, client: String,
        account: String
    ) {
        self.items = items
        sealer = StoredTokenSealer(key: key, oldKeys: oldKeys, cipher: cipher, client: client, account: account)
    }

    /// Creates a store for the client and account of a restricted file. The parameters are those of the other initializer.
    public convenience init(
        around items: Items, key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM
    ) where Items == RestrictedFileItems {
        self.init(
            around: items, key: key, oldKeys: oldKeys, cipher: cipher, client: items.client, account: items.account)
    }

    /// Reads and decrypts the token.
    ///
    /// - Throws: `TokenStoreError`: `wrongKey`, `corrupt` (the item was set aside if the byte store can do that) or
    ///   `unreadable`; the errors of the byte store and of the source of the key.
    public func load() async throws -> StoredToken<Token>? { try await opened(for: .load).opened?.stored }

    /// Encrypts and saves the token.
    ///
    /// - Throws: as ``load()``, if the stored item can be neither decrypted nor set aside. It is not replaced then.
    public func save(_ stored: StoredToken<Token>) async throws {
        _ = try await replace(for: .signIn) { _, _ in stored }
    }

    /// Removes the item, also one that cannot be decrypted.
    public func clear() async throws { try await serialTasks.run { [items] in try await items.clear() } }

    /// Encrypts the stored token again, unless it was encrypted with the current key, rounds and cipher.
    ///
    /// - Returns: whether it was encrypted again.
    /// - Throws: as ``load()``.
    @discardableResult
    public func reencrypt() async throws -> Bool {
        let result = try await replace(for: .reencryption) { stored, _ in stored }
        return if case .saved = result { true } else { false }
    }

    // MARK: -

    /// The opened item, and what was read.
    private typealias Found = (opened: StoredTokenSealer<Token>.Opened?, read: ItemWithIntent)

    /// The operation that opens an item. It determines which items may be set aside.
    private enum Purpose: Hashable, Sendable { case load, signIn, refresh, reencryption }

    /// Replaces the stored token by the one that a rule returns. Starts again if another process replaces it meanwhile.
    ///
    /// The rule sees authenticated contents only, so no decision depends on bytes that others could have written.
    ///
    /// - Parameter rule: returns the new token, or `nil` to keep the stored one.
    private func replace(
        for purpose: Purpose, ending intent: Data? = nil,
        _ rule: @escaping @Sendable (StoredToken<Token>?, TokenAbsence) -> StoredToken<Token>?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await serialTasks.run { [self] in
            while true {
                try Task.checkCancellation()
                let found = try await opened(for: purpose)
                let kept = found.opened
                if purpose == .reencryption, kept?.isCurrent == true { return .refused(kept?.stored) }
                guard let stored = rule(kept?.stored, found.read.absence) else {
                    if let kept, let aware = items as? any EndAwareByteStore {
                        guard try await aware.confirms(kept.item) else { continue }
                    }
                    return .refused(kept?.stored)
                }
                let item = try await sealer.seal(stored, after: kept)
                let isEnd = stored.token == nil
                // What was empty may be so for another reason by now: a sibling may have signed out.
                let isSaved = try await put(item, isEnd: isEnd, ending: intent) { found, absence in
                    found == kept?.item && (found != nil || rule(nil, absence) != nil)
                }
                guard isSaved else { continue }
                if isEnd { await (items as? RestrictedFileItems)?.noteEnded(item) }
                return .saved
            }
        }
    }

    /// - Returns: `false` if the stored item was no longer the one to replace.
    private func put(
        _ item: Data, isEnd: Bool, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) -> Bool
    ) async throws -> Bool {
        if let aware = items as? any EndAwareByteStore {
            return try await aware.save(item, ending: intent, isEnd: isEnd, if: condition) == .saved
        }
        guard let shared = items as? any SharedByteStore else {
            try await items.save(item)
            return true
        }
        return try await shared.save(item, ending: intent, if: condition) == .saved
    }

    /// Opens the stored item. One that cannot be opened is set aside if the purpose allows it; a save then continues.
    private func opened(for purpose: Purpose) async throws -> Found {
        while true {
            let kept = try await read(for: purpose)
            guard let item = kept.item else { return (nil, kept) }
            do {
                return (try await sealer.openEnvelope(item), kept)
            } catch let problem as EnvelopeProblem {
                let makesRoom = problem.makesRoom(isSignIn: purpose == .signIn)
                let place = makesRoom ? try await items.setAside(item) : nil
                if place == nil, try await items.load() != item { continue }
                if place != nil, purpose == .signIn || purpose == .refresh {
                    return (nil, ItemWithIntent(nil, absence: .setAside, intent: kept.intent))
                }
                throw problem.error(place.map { "it was set aside as \($0)" } ?? "it was left where it is")
            }
        }
    }

    private func read(for purpose: Purpose) async throws -> ItemWithIntent {
        if let shared = items as? any SharedByteStore {
            do {
                return try await shared.loadWithIntent()
            } catch let error as TokenStoreError
                where error.kind == .corrupt && (purpose == .signIn || purpose == .refresh)
            {
                // The item was too large, and was set aside. If it was not, this throws again.
                return try await shared.loadWithIntent()
            }
        }
        return ItemWithIntent(try await items.load(), intent: nil)
    }
}

extension EncryptedTokenStore: SharedTokenStore, SharedCodableTokenStore where Items: SharedByteStore {
    /// Reads and decrypts the token, and reads the intent.
    ///
    /// - Throws: as ``load()``.
    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        let found = try await opened(for: .load)
        return await items.contents(
            found.opened?.item, found.opened?.stored, absence: found.read.absence, intent: found.read.intent)
    }

    /// Encrypts and saves the token if the stored one meets a condition, in one atomic step.
    ///
    /// - Throws: as ``save(_:)``. A refresh, unlike a sign-in, replaces no item of a later version or another type.
    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        let intent = try intent.map(RefreshIntentFormat.encode)
        do {
            return try await replace(for: condition == .anything ? .signIn : .refresh, ending: intent) {
                // The answer to an earlier try was lost, and that one may be neither durable nor announced.
                let isRepeated = $0?.isSame(as: stored) == true
                return isRepeated || condition.allows(stored, over: $0, absence: $1) ? stored : nil
            }
        } catch let error as TokenStoreError where error.kind == .noSpace && stored.token == nil {
            // As in SharedCodableTokenStore: the disk is full, and removing the item ends the session.
            if let kept = try await opened(for: .load).opened, condition.allows(stored, over: kept.stored) {
                try await items.clear(kept.item)
            }
            throw error
        }
    }
}

extension EncryptedTokenStore: RedactedDescription {}
#endif
