// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

extension String {
    /// Whether both are the name of the same header field (RFC 9110 §5.1).
    func isSameField(as other: String) -> Bool {
        let (mine, theirs) = (utf8, other.utf8)
        return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// Whether there is neither CR nor LF nor NUL in it (RFC 9110 §5.5): any of them ends a header line early.
    var fitsInHeaderLine: Bool {
        let endsLine: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D || $0 == 0x00 }
        return utf8.withContiguousStorageIfAvailable { bytes in
            !UnsafeRawBufferPointer(bytes).mayHoldControls || !bytes.contains(where: endsLine)
        } ?? !utf8.contains(where: endsLine)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether any byte may be under 0x20, eight bytes at a time: 10 ns for a token of 200 characters instead of 280.
    fileprivate var mayHoldControls: Bool {
        guard count >= 8 else { return true }
        var found: UInt64 = 0
        var offset = 0
        while offset < count {
            // The last eight overlap those before.
            let word = loadUnaligned(fromByteOffset: Swift.min(offset, count &- 8), as: UInt64.self)
            // The high bit of a byte remains if subtracting 0x20 borrowed from it; a borrow may also come from below,
            // which is why a hit is only a "maybe".
            found |= (word &- 0x2020_2020_2020_2020) & ~word
            offset &+= 8
        }
        return found & 0x8080_8080_8080_8080 != 0
    }
}

extension URL {
    /// Whether the scheme is `https` or `wss`, read from the bytes of the URL.
    var isEncrypted: Bool {
        var text = absoluteString
        return text.withUTF8 { $0.hasScheme("https:") || $0.hasScheme("wss:") }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// - Parameter scheme: in lower case, with its colon.
    fileprivate func hasScheme(_ scheme: StaticString) -> Bool {
        guard count >= scheme.utf8CodeUnitCount else { return false }
        for index in 0..<scheme.utf8CodeUnitCount where self[index].lowercasedASCII != scheme.utf8Start[index] {
            return false
        }
        return true
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
