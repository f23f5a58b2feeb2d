// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

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
}
#endif
