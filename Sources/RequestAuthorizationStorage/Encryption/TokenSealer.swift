// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Encrypts messages for one client and account, and decrypts them with the current key or an older one.
struct TokenSealer: Sendable, RedactedDescription {
    /// A decrypted envelope.
    struct Opened: Sendable, RedactedDescription {
        let message: Data
        let header: EnvelopeHeader
        /// Whether it was encrypted with the current key, rounds and cipher.
        let isCurrent: Bool
    }

    let key: TokenKey
    let oldKeys: [TokenKey]
    let cipher: TokenCipher
    let owner: EnvelopeOwner

    /// - Throws: ``EnvelopeProblem``, and the errors of the key sources.
    func open(_ item: Data) async throws -> Opened {
        let envelope = try Envelope(item)
        let header = envelope.header
        guard header.owner.client == owner.client else { throw EnvelopeProblem.otherClient }
        guard header.owner.account == owner.account else { throw EnvelopeProblem.otherAccount }
        let (opener, place) = try await self.key(of: header)
        let isCurrent =
            place == 0 && header.cipher == cipher
            && header.derivation == key.material.derivation(after: header.derivation)
        return Opened(message: try envelope.open(with: opener), header: header, isCurrent: isCurrent)
    }

    /// - Parameter last: the envelope that the new one replaces.
    func seal(
        _ message: Data, version: TokenVersion, after last: Opened?, nonce: [UInt8] = TokenCipher.randomNonce()
    ) async throws -> Data {
        let derivation = key.material.derivation(after: last?.header.derivation)
        let secret = try await key.material.key(derivation)
        let header = EnvelopeHeader(
            cipher: cipher, keyID: Array(key.id.utf8), keyCheck: secret.tokenKeyCheck, derivation: derivation,
            owner: owner, version: version)
        return try Envelope(sealing: message, header: header, key: secret, nonce: nonce).bytes
    }

    /// Finds the key of an envelope among the current key (place 0) and the old ones.
    private func key(of header: EnvelopeHeader) async throws -> (SymmetricKey, place: Int) {
        let id = String(decoding: header.keyID, as: UTF8.self).visible
        var problem = EnvelopeProblem.unknownKey(id)
        for (place, key) in ([key] + oldKeys).enumerated() where Array(key.id.utf8) == header.keyID {
            problem = .wrongKey(id)
            guard key.material.derivation(after: nil).code == header.derivation.code else { continue }
            guard let secret = try await key.material.existingKey(header.derivation) else {
                problem = .noKey(id)
                continue
            }
            if secret.tokenKeyCheck == header.keyCheck { return (secret, place) }
        }
        throw problem
    }
}

// MARK: -

extension SymmetricKey {
    /// A value that tells the key from others and reveals nothing else: 8 bytes of HKDF-SHA-256 (RFC 5869).
    var tokenKeyCheck: [UInt8] {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, info: Array("swift-request-authorization: key check".utf8),
            outputByteCount: EnvelopeHeader.keyCheckBytes
        ).withUnsafeBytes { Array($0) }
    }
}

extension String {
    /// The untrusted text without characters that could confuse a terminal or a log.
    fileprivate var visible: String {
        String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isASCII && $0.value >= 32 && $0.value < 127 ? $0 : "?" }))
    }
}
#endif
