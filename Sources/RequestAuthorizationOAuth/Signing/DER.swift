// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Reads the part of DER (ITU-T X.690) that private keys need: elements in order, each with a tag and its contents.
struct DERReader {
    enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
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
