// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Parses `Retry-After` (RFC 9110 §10.2.3): seconds, or a date.
package enum RetryAfter {
    /// Returns the delay that an answer asks for. A date counts from the answer's own `Date` (RFC 9110 §6.6.1).
    ///
    /// - Parameter now: used if the answer has no `Date`.
    package static func duration(in response: TokenResponse, at now: Date) -> Duration? {
        duration(response.headerValues(for: "Retry-After"), at: response.date(at: now) ?? now)
    }

    /// Returns the longest delay of all lines, because a server that names several wants no call before the last one.
    ///
    /// - Parameters:
    ///   - values: the values of the field. A value may hold several lines, which a client has joined with commas.
    ///   - now: the time from which a date counts.
    /// - Returns: zero to a year; the core limits it further.
    package static func duration(_ values: [String], at now: Date) -> Duration? {
        values.compactMap { longest(of: $0, at: now) }.max()
    }

    // MARK: -

    private static func longest(of value: String, at now: Date) -> Duration? {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        var found: [Duration] = []
        var index = 0
        while index < parts.count {
            let part = trimmed(parts[index])
            if let delay = seconds(part) ?? self.delay(until: part, from: now) {
                found.append(delay)
            } else if index + 1 < parts.count,
                // The two common forms of a date have a comma behind the day.
                let delay = delay(until: "\(part), \(trimmed(parts[index + 1]))", from: now)
            {
                found.append(delay)
                index += 1
            }
            index += 1
        }
        return found.max()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
        return text[...last].drop(while: isBlank)
    }

    /// A number of seconds. A fraction, which RFC 9110 does not have, is rounded up.
    private static func seconds(_ text: Substring) -> Duration? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }),
            parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) })
        else { return nil }
        let whole = parts[0].isEmpty ? 0 : Int(Substring(parts[0])) ?? maximum
        let hasRest = parts.count == 2 && parts[1].contains { $0 != UInt8(ascii: "0") }
        return .seconds(whole < maximum ? whole + (hasRest ? 1 : 0) : maximum)
    }

    private static func delay(until text: some StringProtocol, from now: Date) -> Duration? {
        HTTPDate.parse(String(text), at: now).map {
            .seconds(min(max(0, $0.timeIntervalSince(now)), Double(maximum)))
        }
    }

    private static let maximum = 366 * 86_400
}

extension TokenResponse {
    /// When the answer was made, by the server's clock (RFC 9110 §6.6.1); `nil` if it has no `Date` that can be read.
    ///
    /// - Parameter now: determines the century of a two-digit year.
    package func date(at now: Date) -> Date? {
        headerValues(for: "Date").lazy.compactMap { HTTPDate.parse($0, at: now) }.first
    }
}

/// Parses dates of header fields in the three forms of RFC 9110 §5.6.7.
package enum HTTPDate {
    /// - Parameter now: determines the century of a two-digit year.
    package static func parse(_ text: String, at now: Date) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch (words.count, words.last) {
        case (6, "GMT"): return fixed(words, at: now)  // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
        case (5, _):  // Sun Nov  6 08:49:37 1994
            guard words[4].utf8.count == 4 else { return nil }
            return date(year: number(words[4]), month: words[1], day: words[2], time: words[3])
        default: return nil
        }
    }

    private static func fixed(_ words: [String], at now: Date) -> Date? {
        guard let year = number(words[3]) else { return nil }
        let make = { (year: Int) in date(year: year, month: words[2], day: words[1], time: words[4]) }
        guard words[3].utf8.count == 2 else { return words[3].utf8.count == 4 ? make(year) : nil }
        // "Recipients … MUST interpret a timestamp that appears to be more than 50 years in the future as representing the
        // most recent year in the past that had the same last two digits."
        let limit = now.addingTimeInterval(50 * 365.25 * 86_400)
        let candidates = [2100, 2000, 1900].compactMap { make($0 + year) }
        return candidates.first { $0 <= limit }
    }

    private static func date(year: Int?, month: String, day: String, time: String) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
        guard let year, let month = months.firstIndex(of: month), let day = number(day), parts.count == 3,
            let hour = parts[0], let minute = parts[1], let second = parts[2]
        else { return nil }
        return seconds(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second).map {
            Date(timeIntervalSince1970: $0)
        }
    }

    /// The value of digits. `Int` would read a sign, too.
    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }

    /// The seconds since 1970-01-01 in the Gregorian calendar; `nil` if there is no such time.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Double? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        // Years begin in March, so that a leap day comes last.
        let years = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = years / 4 - years / 100 + years / 400
        let days = years * 365 + leapDays + dayOfYear - 719_468
        // Not in `Int`, which has 32 bits on watchOS and ends in 2038.
        return Double(days) * 86_400 + Double(hour * 3600 + minute * 60 + second)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
