// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import RequestAuthorization

/// A key that tokens are sealed with: bytes, a password, or what a Keychain or a file keeps.
///
///     let key = try TokenKey.password(password)
///     let key = TokenKey.kept(in: keyFile)                    // made at first use
///     let key = try TokenKey.bytes(secret, id: "2027")        // 32 random bytes of yours
///
/// Make it once and share it: a password's key takes a good part of a second to derive, and is remembered here.
public struct TokenKey: Sendable {
    /// The name that stands readable in what was sealed with it; by default all keys have the same.
    ///
    /// Names are for people and logs: which key is the right one is found out from the keys themselves.
    public let id: String
    let material: any KeyMaterial

    /// A key of yours.
    ///
    /// - Parameters:
    ///   - bytes: 32, random. They are copied; wipe yours.
    ///   - id: a name of 1 to 64 bytes, not secret.
    /// - Throws: ``TokenStoreError`` (`unsuitable`) if it is not 32 bytes.
    public static func bytes(_ bytes: some ContiguousBytes, id: String = defaultID) throws -> TokenKey {
        TokenKey(id: id, material: RawKey(try SymmetricKey(tokenKey: bytes)))
    }

    /// A password, from which the key is derived: PBKDF2 with HMAC-SHA-256 and 32 random bytes of salt.
    ///
    /// - Parameters:
    ///   - password: used as UTF-8 as it is, so `é` typed as one character differs from `e` with an accent.
    ///   - id: a name of 1 to 64 bytes, not secret.
    ///   - rounds: 600 000 to 10 000 000. More make it slower to guess, and to open.
    /// - Throws: ``TokenStoreError`` (`unsuitable`) if the password is empty, or the rounds are fewer or more.
    public static func password(
        _ password: String, id: String = defaultID, rounds: Int = 600_000
    ) throws -> TokenKey {
        guard !password.isEmpty else {
            throw TokenStoreError(.unsuitable, "an empty password protects nothing; ask for another")
        }
        guard PBKDF2.rounds.contains(rounds) else {
            throw TokenStoreError(
                .unsuitable, "\(rounds) rounds are not from 600000 to 10000000; leave them at the default")
        }
        var bytes = Data(password.utf8)
        defer { bytes.resetBytes(in: bytes.indices) }
        return TokenKey(id: id, material: PasswordKey(SymmetricKey(data: bytes), rounds: rounds))
    }

    /// A key that something else keeps, and that is made there when the first token is saved.
    ///
    /// - Parameters:
    ///   - source: a Keychain, for instance. It is asked each time.
    ///   - id: a name of 1 to 64 bytes, not secret.
    public static func kept(by source: some TokenKeySource, id: String = defaultID) -> TokenKey {
        TokenKey(id: id, material: KeptKey(source: source))
    }

    /// A key in an item of its own, a restricted file for instance, that is made when the first token is saved.
    ///
    /// Several processes that make it at the same time agree on one.
    ///
    /// - Parameters:
    ///   - items: where the key is, and nothing else: 32 bytes.
    ///   - id: a name of 1 to 64 bytes, not secret.
    public static func kept(in items: some SharedByteStore, id: String = defaultID) -> TokenKey {
        kept(by: ItemKeySource(items: items), id: id)
    }

    /// The name of keys that were given none.
    public static var defaultID: String { "default" }
}

extension TokenKey: RedactedDescription {}
#endif
