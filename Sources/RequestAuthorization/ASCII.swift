// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension UInt8 {
    /// `tchar`: the characters of names of schemes, parameters and header fields (RFC 9110 §5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case _ where isASCIILetterOrDigit: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The characters of `token68` (RFC 9110 §11.2) and `b64token` (RFC 6750 §2.1) before their trailing `=`.
    var isToken68Character: Bool {
        switch self {
        case _ where isASCIILetterOrDigit: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    @inlinable package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    @inlinable package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    @inlinable package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

    /// The lower-case letter for `A` to `Z`; any other byte is unchanged.
    @inlinable package var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension String {
    /// Whether both are the name of the same header field (RFC 9110 §5.1).
    package func isSameField(as other: String) -> Bool {
        let (mine, theirs) = (utf8, other.utf8)
        return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// The text with `A` to `Z` in lower case. `lowercased()` would also turn a Kelvin sign into the letter k.
    package var asciiLowercased: String {
        utf8.contains { $0 != $0.asciiLowercased } ? String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) : self
    }
}
