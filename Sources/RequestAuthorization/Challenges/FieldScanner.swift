// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Reads the lexical parts of a header field (RFC 9110 §5.6) from the bytes of one line, in linear time.
struct FieldScanner<Bytes: RandomAccessCollection> where Bytes.Element == UInt8, Bytes.Index == Int {
    private let bytes: Bytes
    private var position: Int

    init(_ bytes: Bytes) { (self.bytes, position) = (bytes, bytes.startIndex) }

    var isAtEnd: Bool { position >= bytes.endIndex }

    /// Whether a list member ends here.
    var isAtEndOfMember: Bool { isAtEnd || isAt(UInt8(ascii: ",")) }

    func isAt(_ byte: UInt8) -> Bool { !isAtEnd && bytes[position] == byte }

    /// Skips one byte if it is the expected one.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard isAt(byte) else { return false }
        position += 1
        return true
    }

    /// Skips `OWS` and `BWS` (RFC 9110 §5.6.3), and returns whether there were any blanks.
    @discardableResult mutating func skipBlanks() -> Bool { !run { $0 == 0x20 || $0 == 0x09 }.isEmpty }

    /// Skips blanks and empty list members (RFC 9110 §5.6.1.2).
    mutating func skipToMember() { _ = run { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }

    /// Skips the rest of a malformed list member; commas in quoted strings do not end it.
    mutating func skipMember() {
        while !isAtEndOfMember {
            if isAt(UInt8(ascii: "\"")) { _ = quotedString() } else { position += 1 }
        }
    }

    /// Reads a `token` (RFC 9110 §5.6.2); if there is none, returns `nil` and reads nothing.
    mutating func token() -> String? {
        let token = run(\.isTokenCharacter)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// Reads a `token68` (RFC 9110 §11.2) that fills the rest of the member; otherwise returns `nil` and reads nothing.
    mutating func token68() -> String? {
        let start = position
        let hasContent = !run(\.isToken68Character).isEmpty
        _ = run { $0 == UInt8(ascii: "=") }
        let end = position
        skipBlanks()
        guard hasContent, isAtEndOfMember else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Reads a `quoted-string` (RFC 9110 §5.6.4) with its closing quote, and returns it without quotes and escapes.
    ///
    /// - Returns: `nil` if the string is not closed or holds a control character.
    mutating func quotedString() -> String? {
        guard skip(UInt8(ascii: "\"")) else { return nil }
        var content: [UInt8] = []
        var isValid = true
        while !isAtEnd {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return isValid ? String(decoding: content, as: UTF8.self) : nil }
            if byte == UInt8(ascii: "\\"), !isAtEnd {
                byte = bytes[position]
                position += 1
            }
            if (byte < 0x20 && byte != 0x09) || byte == 0x7F { isValid = false }
            content.append(byte)
        }
        return nil
    }

    private mutating func run(_ belongs: (UInt8) -> Bool) -> Bytes.SubSequence {
        let start = position
        while !isAtEnd, belongs(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }
}
