// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The part of an envelope that is not encrypted, but authenticated together with the encrypted token.
struct EnvelopeHeader: Hashable, Sendable {
    var cipher: TokenCipher
    /// The name of the key, 1 to 64 bytes of UTF-8.
    var keyID: [UInt8]
    /// Tells a wrong key of the same name, such as a wrong password, from an envelope that was changed.
    var keyCheck: [UInt8]
    var derivation: KeyDerivation
    var owner: EnvelopeOwner
    var version: TokenVersion

    static let magic = EnvelopeFormat.magic
    static let formatVersion: UInt8 = 1
    static let keyIDBytes = 1...64
    static let keyCheckBytes = 8

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(field: [Self.formatVersion])
        bytes.append(field: [cipher.code.rawValue])
        bytes.append(field: keyID)
        bytes.append(field: keyCheck)
        bytes.append(field: [derivation.code])
        bytes.append(field: derivation.salt)
        bytes.append(field: UInt32(derivation.rounds).bigEndianBytes)
        bytes.append(field: owner.client)
        bytes.append(field: owner.account)
        bytes.append(field: withUnsafeBytes(of: version.session.uuid) { Array($0) })
        bytes.append(field: Int64(version.generation).bigEndianBytes)
        return bytes
    }
}

extension EnvelopeHeader {
    /// Checks all bounds before a key is derived, and never allocates more than the reader has.
    init(from reader: inout ByteReader) throws(EnvelopeProblem) {
        guard reader.starts(with: Self.magic) else {
            throw reader.starts(with: [UInt8(ascii: "{")]) ? .notSealed : .notAnEnvelope
        }
        _ = try reader.bytes(Self.magic.count)
        let format = try reader.number(UInt8.self)
        guard format == Self.formatVersion else { throw .otherFormat("format \(format)") }
        let code = try reader.number(UInt8.self)
        guard let code = TokenCipher.Code(rawValue: code) else { throw .otherFormat("cipher \(code)") }
        cipher = TokenCipher(code)
        keyID = try reader.field(Self.keyIDBytes)
        keyCheck = try reader.field(Self.keyCheckBytes...Self.keyCheckBytes)
        derivation = try KeyDerivation(from: &reader)
        owner = try EnvelopeOwner(from: &reader)
        let session = UUID(bytes: try reader.field(16...16))
        guard let generation = Int(exactly: try reader.number(Int64.self)) else { throw .malformed }
        version = TokenVersion(session: session, generation: generation)
    }
}

/// The client and the account that a token belongs to.
struct EnvelopeOwner: Hashable, Sendable {
    static let bytes = 0...4096

    /// UTF-8, because strings with different bytes may be equal in Swift and differ at a server.
    let client: [UInt8]
    let account: [UInt8]

    init(client: String, account: String) { (self.client, self.account) = (Array(client.utf8), Array(account.utf8)) }

    init(from reader: inout ByteReader) throws(EnvelopeProblem) {
        client = try reader.field(Self.bytes)
        account = try reader.field(Self.bytes)
    }
}
#endif
