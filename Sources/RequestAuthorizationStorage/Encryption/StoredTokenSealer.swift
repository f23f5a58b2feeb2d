// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
package import RequestAuthorization

/// Seals stored tokens for one client and account, and opens what it or an older key sealed.
package struct StoredTokenSealer<Token: AuthorizationToken & Codable>: Sendable, RedactedDescription {
    /// An envelope that was opened.
    package struct Opened: Sendable, RedactedDescription {
        /// The envelope.
        package let item: Data
        package let stored: StoredToken<Token>
        /// The token as it was encoded.
        package let message: Data
        /// Whether it would be sealed the same way today.
        package let isCurrent: Bool
        fileprivate let envelope: TokenSealer.Opened
    }

    private let sealer: TokenSealer

    /// - Parameters:
    ///   - client: at most 4096 bytes of UTF-8.
    ///   - account: at most 4096 bytes of UTF-8.
    package init(key: TokenKey, oldKeys: [TokenKey], cipher: TokenCipher = .aesGCM, client: String, account: String) {
        sealer = TokenSealer(
            key: key, oldKeys: oldKeys, cipher: cipher, owner: EnvelopeOwner(client: client, account: account))
    }

    /// - Throws: ``EnvelopeProblem``, and what the sources of keys throw.
    package func open(_ item: Data) async throws -> Opened {
        let envelope = try await sealer.open(item)
        guard let stored = try? StoredTokenFormat<Token>.decode(envelope.message),
            stored.version == envelope.header.version
        else { throw EnvelopeProblem.otherToken }
        return Opened(
            item: item, stored: stored, message: envelope.message, isCurrent: envelope.isCurrent, envelope: envelope)
    }

    /// - Parameter kept: what stands where the envelope is going to be.
    /// - Throws: ``TokenStoreError`` if the token cannot be sealed, and what the sources of keys throw.
    package func seal(_ stored: StoredToken<Token>, after kept: Opened?) async throws -> Data {
        do {
            let message = try StoredTokenFormat.encode(stored)
            return try await sealer.seal(message, version: stored.version, after: kept?.envelope)
        } catch let problem as EnvelopeProblem {
            throw problem.error()
        }
    }

    /// Whether this very token is what was opened.
    package func holds(_ stored: StoredToken<Token>, _ kept: Opened) -> Bool {
        kept.stored.version == stored.version && (try? StoredTokenFormat.encode(stored)) == kept.message
    }
}
#endif
