// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import RequestAuthorization

/// What a ``TokenKey`` is made of.
protocol KeyMaterial: Sendable {
    /// How the key of the next envelope is derived.
    ///
    /// - Parameter last: how that of the envelope in its place was, which is used again if it can be: it costs nothing.
    func derivation(after last: KeyDerivation?) -> KeyDerivation

    /// The key that an envelope was sealed with.
    ///
    /// - Returns: `nil` if keys of this kind are not derived so, or if there is none yet.
    func existingKey(_ derivation: KeyDerivation) async throws -> SymmetricKey?

    /// The key to seal the next envelope with, made now if there is none yet.
    func key(_ derivation: KeyDerivation) async throws -> SymmetricKey
}

/// The key itself.
struct RawKey: KeyMaterial, RedactedDescription {
    private let key: SymmetricKey

    init(_ key: SymmetricKey) { self.key = key }

    func derivation(after last: KeyDerivation?) -> KeyDerivation { .none }
    func existingKey(_ derivation: KeyDerivation) -> SymmetricKey? { derivation == .none ? key : nil }
    func key(_ derivation: KeyDerivation) -> SymmetricKey { key }
}

/// A key that is kept elsewhere.
///
/// It is read each time: should somebody remove it, nothing more is sealed with a key that nobody has.
struct KeptKey<Source: TokenKeySource>: KeyMaterial, RedactedDescription {
    let source: Source

    func derivation(after last: KeyDerivation?) -> KeyDerivation { .none }

    func existingKey(_ derivation: KeyDerivation) async throws -> SymmetricKey? {
        guard derivation == .none else { return nil }
        guard var bytes = try await source.load() else { return nil }
        defer { bytes.resetBytes(in: bytes.indices) }
        return try SymmetricKey(tokenKey: bytes)
    }

    func key(_ derivation: KeyDerivation) async throws -> SymmetricKey {
        if let key = try await existingKey(.none) { return key }
        // Wiped when the source has let go of it too.
        let candidate = SymmetricKey(size: .bits256).withUnsafeBytes { Data(wipedCopyOf: $0) }
        // Not the candidate if somebody else had kept one.
        var kept = try await source.keep(candidate)
        defer { kept.resetBytes(in: kept.indices) }
        return try SymmetricKey(tokenKey: kept)
    }
}

/// Keeps a key in an item.
struct ItemKeySource<Items: SharedByteStore>: TokenKeySource, RedactedDescription {
    let items: Items

    func load() async throws -> Data? { try await items.load() }

    func keep(_ key: Data) async throws -> Data {
        if case .refused(let kept?) = try await items.save(key, if: { kept, _ in kept == nil }) { return kept }
        return key
    }
}

extension SymmetricKey {
    /// A key of 256 bits, copied into memory that is wiped when the key goes.
    init(tokenKey bytes: some ContiguousBytes) throws {
        // What a file system leaves after a crash is no key.
        guard !bytes.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) else {
            throw TokenStoreError(
                .unsuitable, "a key of zeros protects nothing; look where it is kept, and make one of 32 random bytes")
        }
        self = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
        guard bitCount == 256 else {
            throw TokenStoreError(
                .unsuitable, "a key has 32 bytes, and this one has \(bitCount / 8); make one of 32 random bytes")
        }
    }
}
#endif
