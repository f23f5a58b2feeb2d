// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The source of the keys of a ``TokenKey``.
protocol KeyMaterial: Sendable {
    /// Returns how to derive the key of the next envelope.
    ///
    /// - Parameter last: the derivation of the stored envelope. It is used again if possible, because its key is known.
    func derivation(after last: KeyDerivation?) -> KeyDerivation

    /// Returns the key that an envelope was encrypted with.
    ///
    /// - Returns: `nil` if keys of this kind use another derivation, or if the key does not exist.
    func existingKey(_ derivation: KeyDerivation) async throws -> SymmetricKey?

    /// Returns the key for the next envelope, and makes it if it does not exist.
    func key(_ derivation: KeyDerivation) async throws -> SymmetricKey
}

/// A key in memory.
struct RawKey: KeyMaterial, RedactedDescription {
    let key: SymmetricKey

    func derivation(after last: KeyDerivation?) -> KeyDerivation { .none }
    func existingKey(_ derivation: KeyDerivation) -> SymmetricKey? { derivation == .none ? key : nil }
    func key(_ derivation: KeyDerivation) -> SymmetricKey { key }
}

/// A key that is kept as by a ``TokenKeySource``.
///
/// It is read for each use, so that a key that was removed from the source does not encrypt another token.
struct KeptKey: KeyMaterial, RedactedDescription {
    let load: @Sendable () async throws -> Data?
    let keep: @Sendable (Data) async throws -> Data

    func derivation(after last: KeyDerivation?) -> KeyDerivation { .none }

    func existingKey(_ derivation: KeyDerivation) async throws -> SymmetricKey? {
        guard derivation == .none, var bytes = try await load() else { return nil }
        defer { bytes.resetBytes(in: bytes.indices) }
        return try SymmetricKey(tokenKey: bytes)
    }

    func key(_ derivation: KeyDerivation) async throws -> SymmetricKey {
        if let key = try await existingKey(.none) { return key }
        // The memory is wiped when the source has released it too.
        let candidate = SymmetricKey(size: .bits256).withUnsafeBytes { Data(wipedCopyOf: $0) }
        // Another process may have stored its key first; then this is that key.
        var kept = try await keep(candidate)
        defer { kept.resetBytes(in: kept.indices) }
        return try SymmetricKey(tokenKey: kept)
    }
}

/// A password and the keys derived from it.
final class PasswordKey: KeyMaterial, RedactedDescription {
    typealias Derive = @Sendable (_ password: SymmetricKey, _ salt: [UInt8], _ rounds: Int) throws -> SymmetricKey

    /// The number of derived keys in memory. Others may write envelopes with new salts, so it is limited.
    private static let remembered = 8

    /// `SymmetricKey` wipes its memory when it is released.
    private let password: SymmetricKey
    private let fresh: KeyDerivation
    private let derive: Derive
    private let derived = Lock<[(derivation: KeyDerivation, key: Task<SymmetricKey, any Error>)]>([])
    /// One derivation at a time, so that envelopes with many salts cannot occupy all cores.
    private let queue = DispatchFileQueue("password")

    init(
        _ password: SymmetricKey, rounds: Int,
        derive: @escaping Derive = { try PBKDF2.derive(from: $0, salt: $1, uncheckedRounds: $2) }
    ) {
        (self.password, self.derive) = (password, derive)
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        fresh = .pbkdf2(salt: salt, rounds: rounds)
    }

    func derivation(after last: KeyDerivation?) -> KeyDerivation {
        if let last, last.code == fresh.code, last.rounds == fresh.rounds { last } else { fresh }
    }

    func existingKey(_ derivation: KeyDerivation) async throws -> SymmetricKey? {
        if case .pbkdf2 = derivation { try await key(derivation) } else { nil }
    }

    func key(_ derivation: KeyDerivation) async throws -> SymmetricKey {
        let key = derived.withLock { derived in
            if let known = derived.first(where: { $0.derivation == derivation }) { return known.key }
            let key = Task { [password, derive, queue] in
                try await queue.run { try derive(password, derivation.salt, derivation.rounds) }
            }
            derived.append((derivation, key))
            if derived.count > Self.remembered { derived.removeFirst() }
            return key
        }
        do {
            return try await key.value
        } catch {
            derived.withLock { derived in derived.removeAll { $0.derivation == derivation } }
            throw error
        }
    }
}

extension SymmetricKey {
    /// Creates a key of 256 bits. `SymmetricKey` wipes its memory when it is released.
    init(tokenKey bytes: some ContiguousBytes) throws {
        // After a crash a file system may return zeros in place of the contents.
        guard !bytes.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) else {
            throw TokenStoreError(
                .unsuitable, "the key is all zeros and protects nothing; check its source, or make another")
        }
        self = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
        guard bitCount == 256 else {
            throw TokenStoreError(
                .unsuitable, "the key has \(bitCount / 8) bytes in place of 32; make a key of 32 random bytes")
        }
    }

    /// A value that tells the key from others and reveals nothing else: 8 bytes of HKDF-SHA-256 (RFC 5869).
    var tokenKeyCheck: [UInt8] {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, info: Array("swift-request-authorization: key check".utf8),
            outputByteCount: EnvelopeHeader.keyCheckBytes
        ).withUnsafeBytes { Array($0) }
    }
}
#endif
