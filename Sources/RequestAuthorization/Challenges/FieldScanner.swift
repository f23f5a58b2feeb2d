// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Reads the lexical parts of a header field (RFC 9110 §5.6) from the bytes of one line, in linear time.
struct FieldScanner<Bytes: RandomAccessCollection> where Bytes.Element == UInt8, Bytes.Index == Int {
    private let bytes: Bytes
    private let isCut: Bool
    private var position: Int
    /// A string of this line has no clear end, so a quote may open a string or close one.
    private var hasUnclearString = false

    /// - Parameter isCut: whether the line goes on after these bytes, so that the end of its last member is unknown.
    init(_ bytes: Bytes, isCut: Bool = false) { (self.bytes, self.isCut, position) = (bytes, isCut, bytes.startIndex) }

    var isAtEnd: Bool { position >= bytes.endIndex }

    /// Whether a list member ends here.
    var isAtEndOfMember: Bool { isAtEnd ? !isCut : isAt(UInt8(ascii: ",")) }

    private func isAt(_ byte: UInt8) -> Bool { !isAtEnd && bytes[position] == byte }

    /// Skips one byte if it is the expected one.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard isAt(byte) else { return false }
        position += 1
        return true
    }

    /// Skips `OWS` and `BWS` (RFC 9110 §5.6.3), and returns whether there were any blanks.
    @discardableResult mutating func skipBlanks() -> Bool { !run(\.isBlank).isEmpty }

    /// Skips blanks and empty list members (RFC 9110 §5.6.1.2).
    mutating func skipToMember() { _ = run { $0.isBlank || $0 == UInt8(ascii: ",") } }

    /// Skips the rest of a malformed list member; commas in quoted strings do not end it.
    ///
    /// After an unclear string of this line each comma does. That also keeps the time linear: without it, each of many
    /// quotes could be read to the end.
    mutating func skipMember() {
        while !isAtEnd, !isAt(UInt8(ascii: ",")) {
            let start = position
            if !hasUnclearString, isAt(UInt8(ascii: "\"")), quotedString().isClosed { continue }
            position = start + 1
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
}

// MARK: - Values of parameters

/// The value of a parameter, as far as it can be read.
struct FieldValue {
    var text: String
    /// Whether quotes show where the value ends. A token that is followed by other text is only a part of the value.
    var isDelimited: Bool
    /// Whether the value is in the grammar.
    var isSound = true
}

extension FieldScanner {
    /// Reads the value of a parameter: a token, a quoted string (RFC 9110 §11.2), or a text in single quotes.
    ///
    /// - Returns: `nil` if there is none. After a damaged string, the scanner is at the first comma behind its opening
    ///   quote: the next challenge may be there.
    mutating func value() -> FieldValue? {
        guard !isAt(UInt8(ascii: "\"")) else { return quotedValue() }
        if let text = singleQuoted() { return FieldValue(text: text, isDelimited: true, isSound: false) }
        return token().map { FieldValue(text: $0, isDelimited: false) }
    }

    /// Reads the name of a parameter and its `=`, where a comma should have come; otherwise reads nothing.
    mutating func nextName() -> String? {
        let start = position
        if let name = token() {
            skipBlanks()
            if skip(UInt8(ascii: "=")) { return name }
        }
        position = start
        return nil
    }

    private mutating func quotedValue() -> FieldValue? {
        let start = position
        let (text, isClosed) = quotedString()
        if isClosed, isAtEndOfValue { return text.map { FieldValue(text: $0, isDelimited: true) } }
        (position, hasUnclearString) = (start, true)
        _ = run { $0 != UInt8(ascii: ",") }
        return nil
    }

    private var isAtEndOfValue: Bool {
        isAtEnd || bytes[position].isBlank || isAt(UInt8(ascii: ",")) || isAt(UInt8(ascii: ";"))
    }

    /// Reads a text in single quotes, with them, that is not a token. Servers send it, though no grammar has it.
    private mutating func singleQuoted() -> String? {
        let start = position
        guard skip(UInt8(ascii: "'")) else { return nil }
        let content = run { $0 != UInt8(ascii: "'") && !$0.isControl }
        let isToken = content.allSatisfy(\.isTokenCharacter)
        guard !isToken, skip(UInt8(ascii: "'")), isAtEndOfValue else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a `quoted-string` (RFC 9110 §5.6.4) with its closing quote.
    ///
    /// - Returns: the content without quotes and escapes, `nil` if it has a control character; whether it is closed.
    private mutating func quotedString() -> (text: String?, isClosed: Bool) {
        _ = skip(UInt8(ascii: "\""))
        var content: [UInt8] = []
        var isValid = true
        while !isAtEnd {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return (isValid ? String(decoding: content, as: UTF8.self) : nil, true) }
            if byte == UInt8(ascii: "\\"), !isAtEnd {
                byte = bytes[position]
                position += 1
            }
            if byte.isControl { isValid = false }
            content.append(byte)
        }
        hasUnclearString = true
        return (nil, false)
    }

    private mutating func run(_ belongs: (UInt8) -> Bool) -> Bytes.SubSequence {
        let start = position
        while !isAtEnd, belongs(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }
}
