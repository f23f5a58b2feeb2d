// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

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
#endif
