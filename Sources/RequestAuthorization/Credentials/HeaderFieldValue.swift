// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Says whether a text may stand in a header field: what has a line feed in it would be two fields on the wire.
package enum HeaderFieldValue {
    /// Lets through visible ASCII with spaces and tabs inside (RFC 9110 §5.5 without its obsolete part).
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` and what is wrong where; no
    ///   part of the value.
    package static func check(_ value: String) throws(NotAuthorized) {
        guard let fault = fault(in: value) else { return }
        throw NotAuthorized(.malformedCredential, detail: "the value \(fault)")
    }

    /// What is wrong with a value; `nil` if nothing is.
    private static func fault(in value: String) -> String? {
        value.utf8.withContiguousStorageIfAvailable(fault) ?? Array(value.utf8).withUnsafeBufferPointer(fault)
    }

    private static func fault(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let first = bytes.first, let last = bytes.last else { return "is empty" }
        if isBlank(first) { return "begins with a blank: trim it" }
        if isBlank(last) { return "ends with a blank: trim it" }
        guard let position = bytes.firstIndex(where: isForbidden) else { return nil }
        return "has \(name(of: bytes[position])) at byte \(position), where only visible ASCII, space and tab may be"
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isForbidden(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte > 0x7E }

    /// What to call a byte that is not allowed somewhere; visible characters may be part of a secret and get no name.
    static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x00: "a NUL"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        case 0x09, 0x20: "a blank"
        case 0x21...0x7E: "a character that does not belong there"
        case 0x80...: "a byte that is not ASCII"
        default: "a control character"
        }
    }
}
