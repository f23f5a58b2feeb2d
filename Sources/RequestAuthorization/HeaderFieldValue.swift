// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks the values of header fields. A value with a line feed would become two fields on the wire.
package enum HeaderFieldValue {
    /// Accepts visible ASCII with spaces and tabs inside (RFC 9110 §5.5 without its obsolete part).
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``. Its text says what is
    ///   wrong and where, and contains no part of the value.
    package static func check(_ value: String) throws(NotAuthorized) {
        guard let fault = fault(in: value) else { return }
        throw NotAuthorized(.malformedCredential, detail: "the value \(fault)")
    }

    /// Whether the value holds only visible ASCII and spaces; `false` is inconclusive. Reads eight bytes at a time.
    package static func isSurelyVisible(_ value: String) -> Bool {
        value.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).isVisible } ?? false
    }

    /// Returns what is wrong with a value; `nil` if it is valid.
    private static func fault(in value: String) -> String? {
        value.utf8.withContiguousStorageIfAvailable(fault) ?? Array(value.utf8).withUnsafeBufferPointer(fault)
    }

    private static func fault(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let first = bytes.first, let last = bytes.last else { return "is empty" }
        if isBlank(first) { return "begins with a blank: trim it" }
        if isBlank(last) { return "ends with a blank: trim it" }
        guard !UnsafeRawBufferPointer(bytes).isVisible, let position = bytes.firstIndex(where: isForbidden) else {
            return nil
        }
        return "has \(name(of: bytes[position])) at byte \(position), where only visible ASCII, space and tab may be"
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isForbidden(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte > 0x7E }

    /// Returns a name for a byte that is not allowed. Visible characters may be part of a secret and are not named.
    static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x00: "a NUL"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        case 0x09, 0x20: "a blank"
        case 0x21...0x7E: "a character that is not allowed"
        case 0x80...: "a byte that is not ASCII"
        default: "a control character"
        }
    }
}

/// Checks the names of header fields.
package enum HeaderFieldName {
    /// Accepts a `token` (RFC 9110 §5.1).
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``. Its text does not
    ///   contain the name, which may be a misplaced value.
    package static func check(_ name: String) throws(NotAuthorized) {
        if name.isEmpty { throw NotAuthorized(.malformedCredential, detail: "the name of the header field is empty") }
        guard let position = Array(name.utf8).firstIndex(where: { !$0.isTokenCharacter }) else { return }
        throw NotAuthorized(
            .malformedCredential,
            detail: "the name of the header field has a character at byte \(position) that is not allowed in names")
    }
}

extension UnsafeRawBufferPointer {
    /// Whether every byte is from 0x20 to 0x7E; `false` is inconclusive. Reads eight bytes at a time.
    fileprivate var isVisible: Bool {
        guard count >= 8 else { return false }
        var found: UInt64 = 0
        var offset = 0
        while offset < count {
            // The last eight bytes overlap with those before.
            let word = loadUnaligned(fromByteOffset: Swift.min(offset, count &- 8), as: UInt64.self)
            // The high bit is set by the byte itself, by a borrow from a byte under 0x20, or by a carry of 0x7F.
            found |= word | (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
            offset &+= 8
        }
        return found & 0x8080_8080_8080_8080 == 0
    }
}
