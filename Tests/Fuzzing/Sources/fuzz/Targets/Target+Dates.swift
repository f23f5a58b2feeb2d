// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorization

extension Target {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let dateShapes = [
        "Sun, 06 Nov 1994 08:49:37 GMT, ", "1, ", ",", " ", "1", "1.", "Sun", "-", ":", "2026-11-25T17:05:00Z", "0.0,",
        "a,",
    ]

    /// A delay lies between zero and a year.
    static let retryAfter = Target("retry-after", shapes: dateShapes) { input in
        let lines = input.split(separator: 0x0A).map { Array($0).text }
        guard let delay = RetryAfter.duration(lines, at: now) else { return }
        claim(delay >= .zero && delay <= .seconds(366 * 86_400), "a delay of \(delay)")
    }

    /// A date that is read and written in the usual form is the same.
    static let dates = Target("dates", shapes: dateShapes) { input in
        let text = input.text
        if let date = HTTPDate.parse(text, at: now) { claim(isInRange(date), "a date of \(date)") }
        if let date = JSONDateFormat.parse(text) { claim(isInRange(date), "a date of \(date)") }
    }

    /// The years 0 to 10 000, with the offsets of zones.
    private static func isInRange(_ date: Date) -> Bool {
        (-62_200_000_000...253_500_000_000).contains(date.timeIntervalSince1970)
    }
}
