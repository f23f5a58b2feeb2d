// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// An encrypted token as it is stored: the header, the nonce, the ciphertext and its tag.
///
/// `Documentation/Guide/Encryption.md` has the table of its bytes.
struct Envelope: Sendable {
    /// The largest envelope that is written or read, in bytes: 1 MiB.
    static let limit = 1 << 20

    let header: EnvelopeHeader
    /// The bytes of the header as they were read or written, which are authenticated.
    let headerBytes: [UInt8]
    let nonce: [UInt8]
    let sealed: [UInt8]

    /// Parses an envelope without decrypting it.
    init(_ item: Data) throws(EnvelopeProblem) {
        guard item.count <= Self.limit else { throw .tooLarge }
        let bytes = Array(item)
        var reader = ByteReader(bytes)
        header = try EnvelopeHeader(from: &reader)
        headerBytes = Array(bytes.dropLast(reader.count))
        nonce = try reader.field(TokenCipher.nonceBytes...TokenCipher.nonceBytes)
        sealed = try reader.field(TokenCipher.tagBytes...Self.limit)
        guard reader.count == 0 else { throw .malformed }
    }

    var bytes: Data {
        var bytes = headerBytes
        bytes.append(field: nonce)
        bytes.append(field: sealed)
        return Data(bytes)
    }

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
