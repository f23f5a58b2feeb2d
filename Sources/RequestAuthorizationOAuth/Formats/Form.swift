// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Parameters of a request, in order and without repetition (RFC 6749 §3.1, §3.2): the first one of a name stays.
///
/// `resource` and `audience` may be repeated (RFC 8707 §2, RFC 8693 §2.1), if they are added together.
package struct FormParameters: Sendable {
    package private(set) var list: [(name: String, value: String)] = []

    package init(_ parameters: [(name: String, value: String)] = []) { add(parameters) }

    /// Adds the parameters whose names are not there yet.
    package mutating func add(_ parameters: [(name: String, value: String)]) {
        let names = Set(list.map(\.name))
        for parameter in parameters where !names.contains(parameter.name) && mayAdd(parameter) {
            list.append(parameter)
        }
    }

    /// Adds extra parameters of the caller.
    ///
    /// Names that the library itself uses in any request are left out, such as `client_secret` or `state`.
    package mutating func add(extra parameters: [String: String]) {
        let extra = parameters.filter { !Self.ours.contains($0.key) }.sorted { $0.key < $1.key }
        add(extra.map { (name: $0.key, value: $0.value) })
    }

    // MARK: -

    /// Whether a parameter can be added beside the others that are added together with it.
    private func mayAdd(_ parameter: (name: String, value: String)) -> Bool {
        Self.repeatable.contains(parameter.name)
            ? !list.contains { $0 == parameter } : !list.contains { $0.name == parameter.name }
    }

    private static let repeatable: Set = ["resource", "audience"]

    private static let ours: Set = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type", "grant_type", "response_type",
        "response_mode", "redirect_uri", "scope", "state", "code", "code_verifier", "code_challenge",
        "code_challenge_method", "refresh_token", "device_code", "token", "token_type_hint", "request_uri",
    ]
}

/// `application/x-www-form-urlencoded` in UTF-8 (RFC 6749 App. B).
///
/// `URLComponents` leaves a `+` unescaped, which servers read as a space.
package enum FormEncoding {
    package static func encode(_ parameters: [(name: String, value: String)]) -> [UInt8] {
        Array(parameters.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&").utf8)
    }

    /// Keeps letters, digits and `*-._`, turns a space into `+`, and every other byte into `%` and two digits.
    package static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case _ where byte.isASCIILetterOrDigit || "*-._".utf8.contains(byte): escaped.append(byte)
            case UInt8(ascii: " "): escaped.append(UInt8(ascii: "+"))
            default: escaped += "\(byte < 0x10 ? "%0" : "%")\(String(byte, radix: 16, uppercase: true))".utf8
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

/// The pairs of a query, each decoded on access (`application/x-www-form-urlencoded`, RFC 6749 App. B).
package struct FormPairs: Sendable {
    /// The value of a name in a query.
    package enum Value: Hashable, Sendable {
        /// The name is missing or has no value, which counts as omitted (RFC 6749 §3.1).
        case absent
        case text(String)
        /// The name is there twice (RFC 6749 §3.1), or its value is not UTF-8.
        case unusable

        package var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    private let pairs: [ArraySlice<UInt8>]

    init(_ pairs: [ArraySlice<UInt8>]) { self.pairs = pairs }

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

    /// The decoded name of a pair; `nil` if it cannot be decoded.
    static func name(of pair: ArraySlice<UInt8>) -> String? { decode(pair.prefix { $0 != UInt8(ascii: "=") }) }

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
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

/// Names the APIs that a token is for (RFC 8707 §2).
enum ResourceIndicator {
    /// The parameters that name resources.
    ///
    /// - Throws: `InvalidTokenRequest` if a resource is not an absolute URI, or has a fragment.
    static func parameters(_ resources: [String]) throws -> [(name: String, value: String)] {
        for resource in resources {
            guard !resource.utf8.contains(UInt8(ascii: "#")) else {
                throw InvalidTokenRequest(
                    parameter: "resource", detail: "has a fragment: remove the # and all after it (RFC 8707 §2)")
            }
            guard isAbsoluteURI(resource) else {
                throw InvalidTokenRequest(
                    parameter: "resource",
                    detail: "is not an absolute URI: add its scheme, as in https://api.example.com (RFC 8707 §2)")
            }
        }
        return resources.map { (name: "resource", value: $0) }
    }

    /// Whether a text is a scheme, a colon, and more characters of URIs (RFC 3986 §4.3).
    private static func isAbsoluteURI(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            bytes[0].isASCIILetter,
            bytes[..<colon].allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) })
        else { return false }
        return bytes.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}
