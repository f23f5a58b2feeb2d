// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How a ``LeasedTokenStore`` writes tokens into records.
protocol LeasedItemCoding<Token>: Sendable {
    associatedtype Token: AuthorizationToken

    /// - Parameter key: the key of the record.
    /// - Throws: ``UnopenableItem``; `TokenStoreError`; the errors of the key sources.
    func open(_ item: Data, key: String) async throws -> StoredToken<Token>

    /// - Parameter last: the item that the new one replaces.
    func seal(_ stored: StoredToken<Token>, after last: Data?, key: String) async throws -> Data
}

/// An item that this process cannot decode.
struct UnopenableItem: Error {
    /// When it makes room.
    enum MayMove: Hashable, Sendable { case always, atSignIn, never }

    let mayMove: MayMove
    /// The error to throw, with what was done with the item.
    let error: @Sendable (_ fate: String) -> TokenStoreError
}

/// Writes tokens as JSON.
struct PlainItemCoding<Token: AuthorizationToken & Codable>: LeasedItemCoding {
    func open(_ item: Data, key: String) async throws -> StoredToken<Token> {
        do {
            return try StoredTokenFormat.decode(item)
        } catch let problem as UnreadableItem {
            let mayMove: UnopenableItem.MayMove =
                switch problem.kind {
                case .damaged: .always
                case .later: .atSignIn
                case .sealed: .never
                }
            throw UnopenableItem(mayMove: mayMove) { problem.error($0) }
        }
    }

    func seal(_ stored: StoredToken<Token>, after last: Data?, key: String) async throws -> Data {
        try StoredTokenFormat.encode(stored)
    }
}

#if canImport(CryptoKit) || Crypto
/// Encrypts tokens, each for its record.
final class SealedItemCoding<Token: AuthorizationToken & Codable>: LeasedItemCoding {
    private let keys: LeasedKeys
    /// The last item that was opened: a save replaces the one that was loaded just before.
    private let last = Lock<StoredTokenSealer<Token>.Opened?>(nil)

    init(keys: LeasedKeys) { self.keys = keys }

    func open(_ item: Data, key: String) async throws -> StoredToken<Token> {
        try await opened(item, key: key).stored
    }

    func seal(_ stored: StoredToken<Token>, after last: Data?, key: String) async throws -> Data {
        let opened = if let last { try? await opened(last, key: key) } else { StoredTokenSealer<Token>.Opened?.none }
        return try await sealer(key).seal(stored, after: opened)
    }

    private func opened(_ item: Data, key: String) async throws -> StoredTokenSealer<Token>.Opened {
        if let last = last.withLock({ $0 }), last.item == item { return last }
        do {
            let opened = try await sealer(key).openEnvelope(item)
            _ = last.exchange(opened)
            return opened
        } catch let problem as EnvelopeProblem {
            let mayMove: UnopenableItem.MayMove =
                switch problem.place {
                case .setAside: .always
                case .makesRoom: .atSignIn
                case .stays: .never
                }
            throw UnopenableItem(mayMove: mayMove) { problem.error($0) }
        }
    }

    private func sealer(_ key: String) -> StoredTokenSealer<Token> { keys.sealer(key: key) }
}
#endif
