// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Encrypts stored tokens for one client and account, and decrypts them with the current key or an older one.
///
/// It is for a `SharedTokenStore` of your own. `EncryptedTokenStore` and ``LeasedTokens`` need no help with it.
public struct StoredTokenSealer<Token: AuthorizationToken & Codable>: Sendable, RedactedDescription {
    /// A decrypted envelope.
    public struct Opened: Sendable, RedactedDescription {
        /// The envelope.
        public let item: Data
        /// The decrypted token or tombstone.
        public let stored: StoredToken<Token>
        fileprivate let envelope: TokenSealer.Opened

        /// Whether it was encrypted with the current key, rounds and cipher.
        public var isCurrent: Bool { envelope.isCurrent }
    }

    private let sealer: TokenSealer

    /// Creates a sealer. It derives no key yet.
    ///
    /// - Parameters:
    ///   - key: encrypts.
    ///   - oldKeys: earlier keys, to decrypt with.
    ///   - cipher: encrypts; both ciphers are decrypted.
    ///   - client: the client id, at most 4096 bytes of UTF-8.
    ///   - account: the owner of the token, at most 4096 bytes of UTF-8. An envelope of another owner is not opened.
    public init(key: TokenKey, oldKeys: [TokenKey] = [], cipher: TokenCipher = .aesGCM, client: String, account: String)
    {
        sealer = TokenSealer(
            key: key, oldKeys: oldKeys, cipher: cipher, owner: EnvelopeOwner(client: client, account: account))
    }

    /// Decrypts an envelope.
    ///
    /// - Throws: `TokenStoreError`: `wrongKey`, `corrupt` or `unreadable`; the errors of the key sources.
    public func open(_ item: Data) async throws -> Opened {
        do {
            return try await openEnvelope(item)
        } catch let problem as EnvelopeProblem {
            throw problem.error()
        }
    }

    /// - Throws: ``EnvelopeProblem``, and the errors of the key sources.
    package func openEnvelope(_ item: Data) async throws -> Opened {
        let envelope = try await sealer.open(item)
        guard let stored = try? StoredTokenFormat<Token>.decode(envelope.message),
            stored.version == envelope.header.version
        else { throw EnvelopeProblem.otherToken }
        return Opened(item: item, stored: stored, envelope: envelope)
    }

    /// Encrypts a token.
    ///
    /// - Parameters:
    ///   - stored: the token or tombstone. Its session and generation stand in the envelope unencrypted.
    ///   - kept: the envelope that the new one replaces. With a password the new one has the same derived key.
    /// - Throws: `TokenStoreError` if the token cannot be encrypted, and the errors of the key sources.
    public func seal(_ stored: StoredToken<Token>, after kept: Opened? = nil) async throws -> Data {
        do {
            let message = try StoredTokenFormat.encode(stored)
            return try await sealer.seal(message, version: stored.version, after: kept?.envelope)
        } catch let problem as EnvelopeProblem {
            throw problem.error()
        }
    }

    /// Whether an envelope has exactly this token.
    public func holds(_ stored: StoredToken<Token>, _ kept: Opened) -> Bool {
        kept.stored.version == stored.version && (try? StoredTokenFormat.encode(stored)) == kept.envelope.message
    }
}
#endif
