// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Parses `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
package enum RetryAfter {
    /// Returns the delay that an answer asks for. A date counts from the answer's own `Date` (RFC 9110 §6.6.1).
    ///
    /// - Parameter now: used if the answer has no `Date`.
    package static func duration(in response: TokenResponse, at now: Date) -> Duration? {
        let dates = response.headerValues(for: "Date").lazy.compactMap { HTTPDate.parse($0, at: now) }
        return duration(response.headerValues(for: "Retry-After"), at: dates.first ?? now)
    }

    /// - Parameters:
    ///   - values: the values of the field; the first valid one counts.
    ///   - now: the time from which a date counts.
    /// - Returns: zero to a year; the core limits it further.
    package static func duration(_ values: [String], at now: Date) -> Duration? {
        for value in values {
            let isBlank = { (character: Character) in character == " " || character == "\t" }
            let text = String(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
            guard !text.isEmpty else { continue }
            if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                return .seconds(min(Int(text) ?? longest, longest))
            }
            if let date = HTTPDate.parse(text, at: now) {
                return .seconds(min(max(0, date.timeIntervalSince(now)), Double(longest)))
            }
        }
        return nil
    }

    private static let longest = 366 * 86_400
}
