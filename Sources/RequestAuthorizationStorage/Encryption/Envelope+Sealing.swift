// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

extension Envelope {
    /// Encrypts a message.
    ///
    /// - Parameter nonce: must never have been used with this key.
    init(sealing message: Data, header: EnvelopeHeader, key: SymmetricKey, nonce: [UInt8]) throws {
        guard EnvelopeHeader.keyIDBytes.contains(header.keyID.count) else { throw EnvelopeProblem.keyID }
        guard EnvelopeOwner.bytes.contains(header.owner.client.count),
            EnvelopeOwner.bytes.contains(header.owner.account.count)
        else { throw EnvelopeProblem.tooLargeToSeal }
        (self.header, self.nonce, headerBytes) = (header, nonce, header.bytes)
        sealed = try header.cipher.seal(message, key: key, nonce: nonce, authenticating: headerBytes)
        guard bytes.count <= Self.limit else { throw EnvelopeProblem.tooLargeToSeal }
    }

    /// - Throws: ``EnvelopeProblem/changed`` if the key is another one or a bit of the envelope was changed.
    func open(with key: SymmetricKey) throws(EnvelopeProblem) -> Data {
        do {
            return try header.cipher.open(sealed, key: key, nonce: nonce, authenticating: headerBytes)
        } catch {
            throw .changed
        }
    }
}
#endif
