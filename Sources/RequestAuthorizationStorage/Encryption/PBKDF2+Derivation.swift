// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CommonCrypto
import CryptoKit
#else
import Crypto
import CryptoExtras
#endif

extension PBKDF2 {
    /// Derives a key. Blocks the thread for a long time, and accepts any number of rounds: check it first.
    ///
    /// - Parameter password: not empty. `SymmetricKey` wipes its memory when it is released.
    static func derive(
        from password: SymmetricKey, salt: [UInt8], uncheckedRounds rounds: Int, byteCount: Int = 32
    ) throws -> SymmetricKey {
        #if canImport(CryptoKit)
        var derived = Data(count: byteCount)
        defer { derived.resetBytes(in: derived.indices) }
        let status = derived.withUnsafeMutableBytes { derived in
            password.withUnsafeBytes { password in
                CCKeyDerivationPBKDF(
                    CCPBKDFAlgorithm(kCCPBKDF2), password.bindMemory(to: CChar.self).baseAddress, password.count, salt,
                    salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), UInt32(rounds),
                    derived.bindMemory(to: UInt8.self).baseAddress, derived.count)
            }
        }
        guard status == kCCSuccess else { throw CryptoKitError.underlyingCoreCryptoError(error: status) }
        return SymmetricKey(data: derived)
        #else
        return try password.withUnsafeBytes { password in
            try KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: .sha256, outputByteCount: byteCount, unsafeUncheckedRounds: rounds)
        }
        #endif
    }
}
#endif
