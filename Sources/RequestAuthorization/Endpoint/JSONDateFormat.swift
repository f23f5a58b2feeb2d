// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How a server writes a date in its JSON.
public struct JSONDateFormat: Hashable, Sendable, Labelled {
    @usableFromInline package let label: String

    /// Seconds since 1970-01-01 UTC, as a number or a text of digits.
    public static let seconds = JSONDateFormat(label: "seconds")
    /// Milliseconds since 1970-01-01 UTC, as a number or a text of digits.
    public static let milliseconds = JSONDateFormat(label: "milliseconds")
    /// A date and a time with its offset, such as `2026-11-25T17:05:00Z` (RFC 3339 §5.6).
    public static let iso8601 = JSONDateFormat(label: "iso8601")
}

extension JSONDateFormat {
    /// A `Date` was decoded, and no format was given.
    struct Missing: Error {
        let path: [String]
    }

    /// - Throws: `DecodingError` if the value has another format.
    static func decode(_ decoder: any Decoder, as format: JSONDateFormat?) throws -> Date {
        guard let format else { throw Missing(path: decoder.codingPath.map(\.stringValue)) }
        let value = try decoder.singleValueContainer()
        let date = try format == .iso8601 ? parse(value.decode(String.self)) : format.date(number(value))
        guard let date else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "no date in \(format)")
        }
        return date
    }

    private static func number(_ value: any SingleValueDecodingContainer) throws -> Double? {
        if let text = try? value.decode(String.self) {
            return text.utf8.allSatisfy { $0.isASCIIDigit || "-.".utf8.contains($0) } ? Double(text) : nil
        }
        return try value.decode(Double.self)
    }

    /// The date of a number; `nil` after the year 5138, as milliseconds are if they are read as seconds.
    private func date(_ number: Double?) -> Date? {
        guard let number else { return nil }
        let seconds = self == .milliseconds ? number / 1000 : number
        return abs(seconds) < 1e11 ? Date(timeIntervalSince1970: seconds) : nil
    }

    // MARK: - RFC 3339

    /// Reads `2026-11-25T17:05:00.5+01:00`: `T` may be a space, the fraction and the colon of the offset may be missing.
    package static func parse(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(4, &rest), skip("-", &rest), let month = number(2, &rest), skip("-", &rest),
            let day = number(2, &rest), skip("Tt ", &rest), let hour = number(2, &rest), skip(":", &rest),
            let minute = number(2, &rest), skip(":", &rest), let second = number(2, &rest),
            let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
            let seconds = HTTPDate.seconds(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset) + fraction)
    }

    private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func skip(_ marks: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, marks.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Double? {
        guard skip(".,", &rest) else { return 0 }
        let digits = rest.prefix { $0.isASCIIDigit }
        rest = rest.dropFirst(digits.count)
        return digits.isEmpty ? nil : Double("0.\(String(decoding: digits, as: UTF8.self))")
    }

    /// The seconds that the time is ahead of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if skip("Zz", &rest) { return 0 }
        let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard skip("+-", &rest), let hours = number(2, &rest), hours < 24 else { return nil }
        _ = skip(":", &rest)
        guard let minutes = number(2, &rest), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
