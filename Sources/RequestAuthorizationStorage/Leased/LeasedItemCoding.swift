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

/// Why this process cannot open an item.
protocol UnopenableItem: Error {
    /// Whether a token may replace the item.
    func makesRoom(isSignIn: Bool) -> Bool
    /// The error to throw, with what was done with the item.
    func error(_ fate: String) -> TokenStoreError
}

extension UnreadableItem: UnopenableItem {}

/// Writes tokens as JSON.
struct PlainItemCoding<Token: AuthorizationToken & Codable>: LeasedItemCoding {
    func open(_ item: Data, key: String) async throws -> StoredToken<Token> { try StoredTokenFormat.decode(item) }

    func seal(_ stored: StoredToken<Token>, after last: Data?, key: String) async throws -> Data {
        try StoredTokenFormat.encode(stored)
    }
}

#if canImport(CryptoKit) || Crypto
extension EnvelopeProblem: UnopenableItem {}

/// Encrypts tokens, each for its record.
final class SealedItemCoding<Token: AuthorizationToken & Codable>: LeasedItemCoding {
    private let keys: LeasedKeys
    /// The last item that was opened: a save replaces the one that was loaded just before.
    private let last = Lock<StoredTokenSealer<Token>.Opened?>(nil)

    init(keys: LeasedKeys) { self.keys = keys }

    func open(_ item: Data, key: String) async throws -> StoredToken<Token> { try await opened(item, key: key).stored }

    func seal(_ stored: StoredToken<Token>, after last: Data?, key: String) async throws -> Data {
        let opened = if let last { try? await opened(last, key: key) } else { StoredTokenSealer<Token>.Opened?.none }
        return try await keys.sealer(key: key).seal(stored, after: opened)
    }

    private func opened(_ item: Data, key: String) async throws -> StoredTokenSealer<Token>.Opened {
        if let last = last.withLock({ $0 }), last.item == item { return last }
        let opened: StoredTokenSealer<Token>.Opened = try await keys.sealer(key: key).openEnvelope(item)
        _ = last.exchange(opened)
        return opened
    }
}
#endif
