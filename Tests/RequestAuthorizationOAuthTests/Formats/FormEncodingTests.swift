// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationOAuth
import Testing

@Suite struct FormEncodingTests {
    /// RFC 6749 App. B names these code points and this result.
    @Test func `RFC 6749 App. B: the example of the standard`() {
        #expect(FormEncoding.escape(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
    }

    @Test(arguments: [
        ("a+b", "a%2Bb"), ("100%", "100%25"), ("a&b=c", "a%26b%3Dc"), ("Müller ß", "M%C3%BCller+%C3%9F"),
        ("*-._", "*-._"), ("~/:@", "%7E%2F%3A%40"), ("\r\n\0", "%0D%0A%00"), ("😀", "%F0%9F%98%80"), ("", ""),
    ])
    func `everything but letters, digits and a few marks is escaped`(text: String, escaped: String) {
        #expect(FormEncoding.escape(text) == escaped)
    }

    @Test func `names and values are escaped, in order`() {
        let bytes = FormEncoding.encode([("b", "1 2"), ("a&", "="), ("c", "")])
        #expect(String(decoding: bytes, as: UTF8.self) == "b=1+2&a%26=%3D&c=")
    }
}
