// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The pairs of a query, each decoded when it is asked for (`application/x-www-form-urlencoded`, RFC 6749 App. B).
package struct FormPairs: Sendable {
    /// What a query says of a name.
    package enum Value: Hashable, Sendable {
        /// Nothing, or only the name (RFC 6749 §3.1: as if it were omitted).
        case absent
        case text(String)
        /// It says it twice (RFC 6749 §3.1), or in no UTF-8.
        case unusable

        package var text: String? {
            if case .text(let text) = self { text } else { nil }
        }
    }

    private let pairs: [ArraySlice<UInt8>]

    init(_ pairs: [ArraySlice<UInt8>]) { self.pairs = pairs }

    /// The pairs of a URL's query.
    init(queryOf url: String) {
        let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        self.init(Array(query).split(separator: UInt8(ascii: "&")))
    }

    package subscript(name: String) -> Value {
        let found = pairs.filter { Self.name(of: $0) == name }
        guard let pair = found.first else { return .absent }
        guard found.count == 1, let text = Self.value(of: pair) else { return .unusable }
        return text.isEmpty ? .absent : .text(text)
    }

    /// The decoded name; `nil` if it cannot be decoded.
    static func name(of pair: ArraySlice<UInt8>) -> String? {
        decode(pair.prefix { $0 != UInt8(ascii: "=") })
    }

    private static func value(of pair: ArraySlice<UInt8>) -> String? {
        decode(pair.drop { $0 != UInt8(ascii: "=") }.dropFirst())
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            (byte | 0x20) - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
