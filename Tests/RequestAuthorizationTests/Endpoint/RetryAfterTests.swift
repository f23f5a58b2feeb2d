// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06 08:49:37 UTC, the example of RFC 9110 §5.6.7.
    private static let example = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `RFC 9110 §5.6.7: a date in any of its three forms`(text: String) {
        let now = Self.example.addingTimeInterval(-90)
        #expect(HTTPDate.parse(text, at: now) == Self.example)
        #expect(RetryAfter.duration([text], at: now) == .seconds(90))
        #expect(RetryAfter.duration([text], at: Self.example.addingTimeInterval(5)) == .zero)
    }

    @Test func `RFC 9110 §5.6.7: a year of two digits is never more than 50 years ahead`() {
        let now = Date(timeIntervalSince1970: 1_763_745_600)  // 2025-11-21
        let seventies = HTTPDate.parse("Sunday, 06-Nov-77 08:49:37 GMT", at: now)
        #expect(seventies == HTTPDate.parse("Sun, 06 Nov 1977 08:49:37 GMT", at: now))
        let next = HTTPDate.parse("Sunday, 06-Nov-74 08:49:37 GMT", at: now)
        #expect(next == HTTPDate.parse("Sun, 06 Nov 2074 08:49:37 GMT", at: now))
    }

    @Test(arguments: [
        ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199.0), ("Sat, 01 Jan 2000 00:00:00 GMT", 946_684_800),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 2100 12:00:00 GMT", 4_133_937_600),
    ])
    func `dates are counted in the Gregorian calendar`(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text, at: .distantPast)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "soon", "-1", ".", "1.5.2", "1.x", "1e3", "0x10", ",", ", ,", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "1 2 3 4 5 GMT", "1 2 3 4 5",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
        "Sunday, 06-Nov-+4 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 +994",
        "Sun Nov  6 08:49:37 11994", "Wed, 30 Feb 1994 08:49:37 GMT", "Tue, 29 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
    ])
    func `any other text gives no date`(text: String) {
        #expect(RetryAfter.duration([text], at: Self.example) == nil)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:48:37 GMT", 60), ("Sunday, 06-Nov-94 08:49:27 GMT", 10),
        ("Sun, 06 Nov 1994 09:00:00 GMT", 0), ("nonsense", 3600), ("", 3600),
    ])
    func `RFC 9110 §6.6.1: a date counts from the answer's own, whatever the clock here says`(
        date: String, seconds: Int
    ) {
        let clock = ManualClock()
        clock.setWallClock(to: Self.example.addingTimeInterval(-3600))
        let answer = TokenResponse(
            statusCode: 503, fields: [("Date", date), ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")])
        #expect(RetryAfter.duration(in: answer, at: clock.now) == .seconds(seconds))
        let seconds = TokenResponse(statusCode: 503, fields: [("Date", date), ("Retry-After", "7")])
        #expect(RetryAfter.duration(in: seconds, at: clock.now) == .seconds(7))
    }

    @Test func `RFC 9110 §10.2.3: seconds, up to a sensible number of them`() {
        #expect(RetryAfter.duration(["120"], at: Self.example) == .seconds(120))
        #expect(RetryAfter.duration([" 0 "], at: Self.example) == .zero)
        #expect(RetryAfter.duration(["99999999999999999999999"], at: Self.example) == .seconds(366 * 86_400))
        #expect(RetryAfter.duration([], at: Self.example) == nil)
        #expect(RetryAfter.duration(["nonsense", "7"], at: Self.example) == .seconds(7))
    }

    @Test(arguments: [
        ("1.5", 2), ("0.001", 1), ("7.0", 7), ("7.", 7), (".5", 1), ("0.0", 0),
        ("99999999999999999999999.9", 366 * 86_400),
        ("31622399.5", 366 * 86_400),
    ])
    func `a fraction of a second is rounded up`(text: String, seconds: Int) {
        #expect(RetryAfter.duration([text], at: Self.example) == .seconds(seconds))
    }

    @Test(arguments: [
        ["30, 60"], ["60,30"], ["30", "60"], ["60", "1.5"], [" 30 ,\t60 "], ["nonsense, 60"], ["60, nonsense", "soon"],
        ["Sun, 06 Nov 1994 08:50:37 GMT"], ["30, Sun, 06 Nov 1994 08:50:37 GMT"], ["Sun, 06 Nov 1994 08:50:37 GMT, 30"],
        ["Sun, 06 Nov 1994 08:49:57 GMT, Sunday, 06-Nov-94 08:50:37 GMT"], ["Sun Nov  6 08:50:37 1994, 30"],
        ["59.2, Sun Nov  6 08:49:37 1994"], ["Sun, 60"], ["60, Sun"], ["Sun, 06 Nov 1994, 60"],
    ])
    func `of several times, in several lines or joined, the longest counts`(lines: [String]) {
        #expect(RetryAfter.duration(lines, at: Self.example) == .seconds(60))
    }
}
