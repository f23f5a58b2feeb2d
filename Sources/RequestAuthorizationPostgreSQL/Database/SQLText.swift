// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Converts values to and from the text of parameters and columns.
enum SQLText {
    /// Encodes bytes as `bytea` in hex format.
    static func bytes(_ bytes: some Sequence<UInt8>) -> String { "\\x" + hex(bytes) }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter hex: text of `encode(…, 'hex')`.
    /// - Returns: `nil` if the text is not hexadecimal.
    static func data(hex: String) -> Data? {
        let digits = hex.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var data = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            data.append(UInt8(high << 4 | low))
        }
        return data
    }

    /// Seconds for an interval.
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(Double(seconds) + Double(attoseconds) * 1e-18)"
    }

    /// Seconds since 1970 for `to_timestamp`, or `nil` for a time that PostgreSQL does not support.
    static func seconds(_ date: Date) -> String? {
        let seconds = date.timeIntervalSince1970
        return abs(seconds) < 1e11 ? "\(seconds)" : nil
    }

    /// JSON with sorted keys, so that equal intents have equal texts.
    static func intent(_ intent: RefreshIntent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(intent), as: UTF8.self)
    }
}
