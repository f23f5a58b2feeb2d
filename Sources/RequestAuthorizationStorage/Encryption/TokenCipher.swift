// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// An algorithm that encrypts tokens with 256-bit keys and detects a change of any bit.
public struct TokenCipher: Hashable, Sendable {
    /// AES-256 in Galois/Counter Mode (NIST SP 800-38D), fast where the processor has AES instructions. The default.
    public static let aesGCM = TokenCipher(.aesGCM)
    /// ChaCha20-Poly1305 (RFC 8439), fast and constant in time without AES instructions.
    public static let chaChaPoly = TokenCipher(.chaChaPoly)

    /// The number in the envelope. Its meaning never changes.
    enum Code: UInt8, CaseIterable {
        case aesGCM = 1
        case chaChaPoly = 2
    }

    let code: Code

    init(_ code: Code) { self.code = code }

    static let nonceBytes = 12
    static let tagBytes = 16
}
#endif
