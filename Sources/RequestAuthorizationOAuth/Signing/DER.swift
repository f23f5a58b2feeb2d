// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Reads the part of DER (ITU-T X.690) that private keys need: elements in order, each with a tag and its contents.
struct DERReader {
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        /// The curve in SEC 1 (RFC 5915 §3), and the attributes in PKCS #8 (RFC 5958 §2).
        static let parameters: UInt8 = 0xA0
        static let attributes: UInt8 = 0xA0
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The contents of the next element, which must have this tag.
    mutating func read(_ tag: UInt8) throws(SigningKeyError) -> [UInt8] {
        // A length of 4 bytes can be negative where `Int` has 32 bits.
        guard rest.popFirst() == tag, let length = readLength(), (0...rest.count).contains(length) else {
            throw SigningKeyError(.malformed)
        }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    func isNext(_ tag: UInt8) -> Bool { rest.first == tag }

    /// The contents of the next element if it has this tag.
    mutating func readIfPresent(_ tag: UInt8) throws(SigningKeyError) -> [UInt8]? { isNext(tag) ? try read(tag) : nil }

    /// Reads the public key behind a private one, if it is there: `[1]`, explicit in SEC 1 (RFC 5915 §3) and implicit
    /// in PKCS #8 (RFC 5958 §2), where some programs write the explicit form.
    mutating func readPublicKey() throws(SigningKeyError) -> [UInt8]? {
        var bits = try readIfPresent(0x81)
        if let contents = try readIfPresent(0xA1) {
            var reader = DERReader(contents)
            bits = try reader.read(Tag.bitString)
        }
        guard let bits else { return nil }
        // The first byte is the number of unused bits.
        guard bits.first == 0 else { throw SigningKeyError(.malformed) }
        return Array(bits.dropFirst())
    }

    /// Reads a number that is not negative, without leading zeros.
    mutating func readInteger() throws(SigningKeyError) -> [UInt8] {
        let bytes = try read(Tag.integer)
        guard let first = bytes.first, first < 0x80 else { throw SigningKeyError(.malformed) }
        return Array(bytes.drop { $0 == 0 })
    }

    /// Reads a length of at most 4 bytes, which is enough for all keys.
    private mutating func readLength() -> Int? {
        guard let first = rest.popFirst() else { return nil }
        if first < 0x80 { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Writes DER.
enum DERWriter {
    static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        var length = contents.count
        if length < 0x80 { return [tag, UInt8(length)] + contents }
        var bytes: [UInt8] = []
        while length > 0 {
            bytes.insert(UInt8(length & 0xFF), at: 0)
            length >>= 8
        }
        return [tag, 0x80 | UInt8(bytes.count)] + bytes + contents
    }

    /// A number that is not negative.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return element(DERReader.Tag.integer, digits.first.map { $0 < 0x80 } == true ? digits : [0] + digits)
    }
}
