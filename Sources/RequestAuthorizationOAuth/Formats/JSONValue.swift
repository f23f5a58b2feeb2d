// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A JSON value of a server's answer. It may be a secret, so its description is redacted.
public enum JSONValue: Sendable, Hashable, RedactedDescription {
    case null
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int64)
    case number(Double)
    /// An integer that neither of the others holds with all its digits, such as an identifier of 20 digits.
    case decimal(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try object.allKeys.reduce(into: [:]) {
                    $0[$1.stringValue] = try object.decode(JSONValue.self, forKey: $1)
                })
            return
        }
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = number == number.rounded() ? .integral(number, try? value.decode(Decimal.self)) : .number(number)
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if value.decodeNil() {
            self = .null
        } else {
            self = .array(try value.decode([JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .integer(let number): try value.encode(number)
        case .number(let number): try value.encode(number)
        case .decimal(let number): try value.encode(number)
        case .string(let text): try value.encode(text)
        case .array(let values): try value.encode(values)
        case .object(let members): try value.encode(members)
        }
    }

    /// The key of a member with any name.
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue {
    /// A text that is not empty.
    package var text: String? { if case .string(let text) = self, !text.isEmpty { text } else { nil } }

    /// The texts of an array; `nil` if it contains anything else.
    var texts: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }

    /// The members of both objects, and of the objects in them; of other values, the other one.
    func merged(with other: JSONValue) -> JSONValue {
        guard case (.object(let own), .object(let others)) = (self, other) else { return other }
        return .object(own.merging(others) { $0.merged(with: $1) })
    }

    /// The value of a number, or of a text that is a JSON number.
    package var numberOrNumeral: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .decimal(let number): Double("\(number)")
        case .string(let text): Self.isNumeral(text) ? Double(text) : nil
        case .null, .bool, .array, .object: nil
        }
    }

    /// A number whose fraction a `Double` does not keep. It becomes what is read back after it was stored.
    private static func integral(_ number: Double, _ read: Decimal?) -> JSONValue {
        guard let decimal = read.flatMap({ $0.exponent < 0 ? Decimal(string: "\(number)") : $0 }) else {
            return .number(number)
        }
        if let integer = Int64("\(decimal)") { return .integer(integer) }
        // A `Double` keeps 15 digits for certain.
        let isLong = decimal.significand.magnitude >= Decimal(sign: .plus, exponent: 15, significand: 1)
        return isLong ? .decimal(decimal) : .number(number)
    }

    /// Whether a text looks like a JSON number (RFC 8259 §6): `Double` would also read `0x10` and `inf`.
    private static func isNumeral(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isASCIIDigit || first == UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { $0.isASCIIDigit || "+-.eE".utf8.contains($0) }
    }
}
