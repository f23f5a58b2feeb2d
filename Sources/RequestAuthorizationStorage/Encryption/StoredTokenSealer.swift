// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// Encrypts stored tokens for one client and account, and decrypts them with the current key or an older one.
package struct StoredTokenSealer<Token: AuthorizationToken & Codable>: Sendable, RedactedDescription {
    /// A decrypted envelope.
    package struct Opened: Sendable, RedactedDescription {
        /// The envelope.
        package let item: Data
        package let stored: StoredToken<Token>
        fileprivate let envelope: TokenSealer.Opened

        /// Whether it was encrypted with the current key, rounds and cipher.
        package var isCurrent: Bool { envelope.isCurrent }
    }

    private let sealer: TokenSealer

    /// - Parameters:
    ///   - client: at most 4096 bytes of UTF-8.
    ///   - account: at most 4096 bytes of UTF-8.
    package init(key: TokenKey, oldKeys: [TokenKey], cipher: TokenCipher = .aesGCM, client: String, account: String) {
        sealer = TokenSealer(
            key: key, oldKeys: oldKeys, cipher: cipher, owner: EnvelopeOwner(client: client, account: account))
    }

    /// - Throws: ``EnvelopeProblem``, and the errors of the key sources.
    package func open(_ item: Data) async throws -> Opened {
        let envelope = try await sealer.open(item)
        guard let stored = try? StoredTokenFormat<Token>.decode(envelope.message),
            stored.version == envelope.header.version
        else { throw EnvelopeProblem.otherToken }
        return Opened(item: item, stored: stored, envelope: envelope)
    }

    /// - Parameter kept: the envelope that the new one replaces.
    /// - Throws: `TokenStoreError` if the token cannot be encrypted, and the errors of the key sources.
    package func seal(_ stored: StoredToken<Token>, after kept: Opened?) async throws -> Data {
        do {
            let message = try StoredTokenFormat.encode(stored)
            return try await sealer.seal(message, version: stored.version, after: kept?.envelope)
        } catch let problem as EnvelopeProblem {
            throw problem.error()
        }
    }

    /// Whether an envelope has exactly this token.
    package func holds(_ stored: StoredToken<Token>, _ kept: Opened) -> Bool {
        kept.stored.version == stored.version && (try? StoredTokenFormat.encode(stored)) == kept.envelope.message
    }
}
#endif
