// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A key that encrypts tokens: 32 bytes, a password, or a key in a Keychain or a file.
///
///     let key = try TokenKey.password(password)
///     let key = TokenKey.kept(in: keyFile)                    // made at first use
///     let key = try TokenKey.bytes(secret, id: "2027")        // 32 random bytes of yours
///
/// Create it once and share it: deriving a key from a password takes a good part of a second, and is done only once.
public struct TokenKey: Sendable, RedactedDescription {
    /// The name of the key, which the envelope has unencrypted. By default all keys have the same name.
    ///
    /// Only keys with the name in the envelope are tried; of several, a check value finds the right one.
    package let id: String
    let material: any KeyMaterial

    /// A key of 32 random bytes.
    ///
    /// - Parameters:
    ///   - bytes: 32 random bytes. They are copied; wipe yours.
    ///   - id: a name of 1 to 64 bytes, not secret.
    /// - Throws: `TokenStoreError` (`unsuitable`) if the key does not have 32 bytes or is all zeros.
    public static func bytes(_ bytes: some ContiguousBytes, id: String = defaultID) throws -> TokenKey {
        TokenKey(id: id, material: RawKey(key: try SymmetricKey(tokenKey: bytes)))
    }

    /// A key that is derived from a password by PBKDF2 with HMAC-SHA-256 and 32 random bytes of salt.
    ///
    /// - Parameters:
    ///   - password: used as UTF-8 without normalization: a precomposed `é` differs from `e` with a combining accent.
    ///   - id: a name of 1 to 64 bytes, not secret.
    ///   - rounds: 600 000 to 10 000 000. More rounds make guessing slower, and opening too.
    /// - Throws: `TokenStoreError` (`unsuitable`) if the password is empty or the rounds are out of range.
    public static func password(_ password: String, id: String = defaultID, rounds: Int = 600_000) throws -> TokenKey {
        guard !password.isEmpty else {
            throw TokenStoreError(.unsuitable, "the password is empty and protects nothing; ask for another")
        }
        guard PBKDF2.rounds.contains(rounds) else {
            throw TokenStoreError(
                .unsuitable, "\(rounds) rounds are out of range; use 600000 to 10000000, or the default")
        }
        var bytes = Data(password.utf8)
        defer { bytes.resetBytes(in: bytes.indices) }
        return TokenKey(id: id, material: PasswordKey(SymmetricKey(data: bytes), rounds: rounds))
    }

    /// A key that a source keeps. It is made when the first token is saved.
    ///
    /// - Parameters:
    ///   - source: the place of the key, such as a Keychain item. It is read for each use.
    ///   - id: a name of 1 to 64 bytes, not secret.
    public static func kept(by source: some TokenKeySource, id: String = defaultID) -> TokenKey {
        TokenKey(id: id, material: KeptKey(load: { try await source.load() }, keep: { try await source.keep($0) }))
    }

    /// A key in a byte store, such as a restricted file. It is made when the first token is saved.
    ///
    /// Several processes that make the key at the same time agree on one.
    ///
    /// - Parameters:
    ///   - items: the store of the 32 bytes, which has no other use.
    ///   - id: a name of 1 to 64 bytes, not secret.
    public static func kept(in items: some SharedByteStore, id: String = defaultID) -> TokenKey {
        let keep = { @Sendable (key: Data) async throws -> Data in
            if case .refused(let kept?) = try await items.save(key, if: { kept, _ in kept == nil }) { return kept }
            return key
        }
        return TokenKey(id: id, material: KeptKey(load: { try await items.load() }, keep: keep))
    }

    /// The name of keys that were created without one.
    public static var defaultID: String { "default" }
}
#endif
