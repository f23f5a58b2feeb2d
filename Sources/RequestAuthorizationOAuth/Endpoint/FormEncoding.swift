// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// `application/x-www-form-urlencoded` in UTF-8, as RFC 6749 App. B wants it.
///
/// `URLComponents` leaves a `+` as it is, which servers read as a space.
package enum FormEncoding {
    package static func encode(_ parameters: [(name: String, value: String)]) -> [UInt8] {
        Array(parameters.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&").utf8)
    }

    /// Letters, digits and `*-._` stay, a space becomes `+`, every other byte `%` and two digits.
    package static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                escaped.append(byte)
            case UInt8(ascii: " "): escaped.append(UInt8(ascii: "+"))
            default: escaped += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0x0F)]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
