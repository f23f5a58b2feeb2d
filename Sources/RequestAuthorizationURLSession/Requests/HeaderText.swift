// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension String {
    /// Whether both are the name of the same header field (RFC 9110 §5.1).
    func isSameField(as other: String) -> Bool {
        let (mine, theirs) = (utf8, other.utf8)
        return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether it contains no CR, LF or NUL, which would end a header line early (RFC 9110 §5.5).
    var fitsInHeaderLine: Bool {
        let endsLine: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D || $0 == 0x00 }
        return HeaderFieldValue.isSurelyVisible(self) || !utf8.contains(where: endsLine)
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
        for index in 0..<scheme.utf8CodeUnitCount where self[index].asciiLowercased != scheme.utf8Start[index] {
            return false
        }
        return true
    }
}
