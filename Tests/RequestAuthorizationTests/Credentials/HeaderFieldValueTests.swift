// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

struct HeaderFieldValueTests {
    @Test(arguments: ["a", "Bearer ABC", "a\tb", "!~", String(repeating: "x", count: 10_000)])
    func `visible ASCII with blanks inside may stand in a header`(value: String) throws {
        try HeaderFieldValue.check(value)
    }

    @Test(arguments: [
        ("", "empty"), (" a", "begins with a blank"), ("\ta", "begins with a blank"), ("a ", "ends with a blank"),
        ("a\t", "ends with a blank"), ("a\r\nX: y", "a carriage return at byte 1"), ("abc\nX", "a line feed at byte 3"),
        ("a\n", "a line feed at byte 1"), ("\na", "a line feed at byte 0"), ("a\u{0}b", "a NUL at byte 1"),
        ("ab\u{B}", "a control character at byte 2"), ("a\u{7F}", "a control character at byte 1"),
        ("a\u{1B}[0m", "a control character at byte 1"), ("ab\u{E9}", "not ASCII at byte 2"),
        ("\u{560A}", "not ASCII at byte 0"), ("a\u{85}", "not ASCII at byte 1"), ("a\u{2028}", "not ASCII at byte 1"),
    ])
    func `any other value is refused with the position and without the value`(value: String, fault: String) {
        let error = #expect(throws: NotAuthorized.self) { try HeaderFieldValue.check(value) }
        #expect(error?.reason == .malformedCredential)
        #expect(error?.detail?.contains(fault) == true)
    }

    @Test func `each single byte is judged by RFC 9110 §5·5`() {
        for byte in UInt8.min...0x7F {
            let value = "a\(Character(Unicode.Scalar(byte)))b"
            let isAllowed = byte == 0x09 || (0x20...0x7E).contains(byte)
            #expect(((try? HeaderFieldValue.check(value)) != nil) == isAllowed, "\(byte)")
        }
    }

    /// Eight bytes are read at a time, and the last eight may overlap those before.
    @Test(arguments: 7...17) func `each byte is judged alike at every position of a value of any length`(length: Int) {
        for place in 1..<length - 1 {
            for byte in UInt8.min...0x7F {
                var bytes = [UInt8](repeating: 0x7E, count: length)
                bytes[place] = byte
                let isAllowed = byte == 0x09 || (0x20...0x7E).contains(byte)
                let passes = (try? HeaderFieldValue.check(String(decoding: bytes, as: UTF8.self))) != nil
                if passes != isAllowed { Issue.record("\(byte) at \(place)") }
            }
            let words = String(repeating: "~", count: place) + "\u{E9}" + String(repeating: " ", count: length) + "~"
            #expect(throws: NotAuthorized.self) { try HeaderFieldValue.check(words) }
        }
    }

    @Test func `a fault is found at any position of a long value`() {
        for position in 0..<200 {
            var bytes = [UInt8](repeating: 0x61, count: 200)
            bytes[position] = 0x0A
            let error = #expect(throws: NotAuthorized.self) {
                try HeaderFieldValue.check(String(decoding: bytes, as: UTF8.self))
            }
            #expect(error?.detail?.contains("at byte \(position),") == true)
        }
    }

    @Test func `names of header fields are tokens`() throws {
        try HeaderFieldName.check("X-API-Key!#$%&'*+.^_`|~09")
        for name in ["", " ", "X Key", "X:", "X\r\nY", "X\u{0}", "\u{FC}", "(x)", "X/Y", "\"X\""] {
            let error = #expect(throws: NotAuthorized.self) { try HeaderFieldName.check(name) }
            #expect(error?.reason == .malformedCredential)
        }
    }
}
