// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Encrypts stored tokens for one client and account, and decrypts them with the current key or an older one.
struct StoredTokenSealer<Token: AuthorizationToken & Codable>: Sendable, RedactedDescription {
    /// A decrypted envelope.
    struct Opened: Sendable, RedactedDescription {
        /// The envelope.
        let item: Data
        /// The decrypted token or tombstone.
        let stored: StoredToken<Token>
        /// Whether it was encrypted with the current key, rounds and cipher.
        let isCurrent: Bool

        fileprivate let derivation: KeyDerivation
    }

    private let key: TokenKey
    private let oldKeys: [TokenKey]
    private let cipher: TokenCipher
    private let owner: EnvelopeOwner

    /// Derives no key yet. It will decrypt both ciphers, but no envelope of another client or account.
    init(key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM, client: String, account: String) {
        (self.key, self.oldKeys, self.cipher) = (key, oldKeys, cipher)
        owner = EnvelopeOwner(client: client, account: account)
    }

    /// Decrypts an envelope.
    ///
    /// - Throws: ``EnvelopeProblem``, and the errors of the key sources.
    func openEnvelope(_ item: Data) async throws -> Opened {
        let envelope = try Envelope(item)
        let header = envelope.header
        guard header.owner.client == owner.client else { throw EnvelopeProblem.otherClient }
        guard header.owner.account == owner.account else { throw EnvelopeProblem.otherAccount }
        let (secret, place) = try await secret(of: header)
        let message = try envelope.open(with: secret)
        guard let stored = try? StoredTokenFormat<Token>.decode(message), stored.version == header.version else {
            throw EnvelopeProblem.otherToken
        }
        let isCurrent =
            place == 0 && header.cipher == cipher
            && header.derivation == key.material.derivation(after: header.derivation)
        return Opened(item: item, stored: stored, isCurrent: isCurrent, derivation: header.derivation)
    }

    /// Encrypts a token.
    ///
    /// - Parameters:
    ///   - stored: the token or tombstone. Its session and generation stand in the envelope unencrypted.
    ///   - kept: the envelope that the new one replaces. With a password the new one has the same derived key.
    /// - Throws: `TokenStoreError` if the token cannot be encrypted, and the errors of the key sources.
    func seal(_ stored: StoredToken<Token>, after kept: Opened? = nil) async throws -> Data {
        let message = try StoredTokenFormat.encode(stored)
        let derivation = key.material.derivation(after: kept?.derivation)
        let secret = try await key.material.key(derivation)
        let header = EnvelopeHeader(
            cipher: cipher, keyID: Array(key.id.utf8), keyCheck: secret.tokenKeyCheck, derivation: derivation,
            owner: owner, version: stored.version)
        do {
            return try Envelope(sealing: message, header: header, key: secret, nonce: TokenCipher.randomNonce()).bytes
        } catch let problem as EnvelopeProblem {
            throw problem.error()
        }
    }

    // MARK: -

    /// Finds the key of an envelope among the current key (place 0) and the old ones.
    private func secret(of header: EnvelopeHeader) async throws -> (SymmetricKey, place: Int) {
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

extension String {
    /// The untrusted text without characters that could confuse a terminal or a log.
    fileprivate var visible: String {
        String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isASCII && $0.value >= 32 && $0.value < 127 ? $0 : "?" }))
    }
}
#endif
