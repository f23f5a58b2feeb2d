// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Without cryptography, using these types is a compiler error that names the trait.
#if !canImport(CryptoKit) && !Crypto

/// Stores a token encrypted in any `ByteStore`, with the trait `Crypto`.
@available(
    *, unavailable, message: "enable the trait 'Crypto' of swift-request-authorization, which brings cryptography"
)
public struct EncryptedTokenStore<Token: AuthorizationToken & Codable, Items: ByteStore>: CodableTokenStore {
    public let items: Items

    public init(
        around items: Items, key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM, client: String,
        account: String
    ) { fatalError("unavailable") }

    public init(
        around items: Items, key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM
    ) where Items == RestrictedFileItems { fatalError("unavailable") }

    @discardableResult public func reencrypt() async throws -> Bool { fatalError("unavailable") }
}

@available(*, unavailable)
extension EncryptedTokenStore: SharedTokenStore, SharedCodableTokenStore where Items: SharedByteStore {}

/// A key that encrypts tokens, with the trait `Crypto`.
@available(
    *, unavailable, message: "enable the trait 'Crypto' of swift-request-authorization, which brings cryptography"
)
public struct TokenKey: Sendable {
    public static var defaultID: String { fatalError("unavailable") }
    public static func bytes(_ bytes: some ContiguousBytes, id: String = defaultID) throws -> TokenKey {
        fatalError("unavailable")
    }
    public static func password(_ password: String, id: String = defaultID, rounds: Int = 0) throws -> TokenKey {
        fatalError("unavailable")
    }
    public static func kept(by source: some TokenKeySource, id: String = defaultID) -> TokenKey {
        fatalError("unavailable")
    }
    public static func kept(in items: some SharedByteStore, id: String = defaultID) -> TokenKey {
        fatalError("unavailable")
    }
}

/// An algorithm that encrypts tokens, with the trait `Crypto`.
@available(
    *, unavailable, message: "enable the trait 'Crypto' of swift-request-authorization, which brings cryptography"
)
public struct TokenCipher: Hashable, Sendable {
    public static var aesGCM: TokenCipher { fatalError("unavailable") }
    public static var chaChaPoly: TokenCipher { fatalError("unavailable") }
}
#endif
