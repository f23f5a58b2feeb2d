// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import RequestAuthorization

/// Seals messages for one client and account with one key, and opens those of older keys too.
struct TokenSealer: Sendable, RedactedDescription {
    /// An envelope that was opened.
    struct Opened: Sendable, RedactedDescription {
        let message: Data
        let header: EnvelopeHeader
        /// Whether another one would be sealed the same way.
        let isCurrent: Bool
    }

    let key: TokenKey
    let oldKeys: [TokenKey]
    let cipher: TokenCipher
    let owner: EnvelopeOwner

    /// - Throws: ``EnvelopeProblem``, and what the sources of keys throw.
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

    /// - Parameter last: what stands where the envelope is going to be.
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

    /// The key that an envelope says it was sealed with, and its place among ours.
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
    /// What tells the key from others and nothing else of it: 8 bytes of HKDF-SHA-256 (RFC 5869).
    var tokenKeyCheck: [UInt8] {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, info: Array("swift-request-authorization: key check".utf8),
            outputByteCount: EnvelopeHeader.keyCheckBytes
        ).withUnsafeBytes { Array($0) }
    }
}

extension String {
    /// Without what could confuse a terminal or a log: anybody may have written it.
    fileprivate var visible: String {
        String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isASCII && $0.value >= 32 && $0.value < 127 ? $0 : "?" }))
    }
}
#endif
