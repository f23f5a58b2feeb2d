// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// The origin that is read from the bytes of a URL is that of the parser.
struct OriginSpellingTests {
    private static let origins: [Origin] = [
        "https://api.example.com", "https://api.example.com:8443", "http://api.example.com", "wss://api.example.com",
        "https://a.b", Origin(scheme: "ftp", host: "api.example.com"), Origin(scheme: "https", host: ""),
        "https://api.example.com.evil.example", "https://evil.example", "https://[::1]",
    ]

    @Test(arguments: [
        "https://api.example.com", "https://api.example.com/", "https://api.example.com/v1?x=1#f",
        "https://api.example.com?x", "https://api.example.com#f", "https://api.example.com:443/",
        "https://api.example.com:8443/v1", "https://api.example.com:08443", "http://api.example.com/",
        "http://api.example.com:80", "https://a.b/",
        "https://api.example.com.evil.example/", "https://api.example.co/", "https://api.example.com:444/",
    ])
    func `a plain URL needs no parser`(text: String) throws {
        let url = try #require(URL(string: text))
        for origin in Self.origins {
            #expect(origin.isOrigin(ofURL: text) == (Origin(url) == origin), "\(origin)")
            #expect(origin.isOrigin(ofURL: text.uppercased()) == origin.isOrigin(ofURL: text))
        }
    }

    @Test(arguments: [
        "", "https", "https:", "https:/", "https://", "https:///v1", "api.example.com", "//api.example.com/",
        "https://user@api.example.com/", "https://api.example.com@evil.example/",
        "https://api.example.com:443@evil.example",
        "https://api.example.com:pw@evil.example/", "https://api.example.com\\@evil.example/",
        "https://api.example.com%2Eevil.example/", "https://api.example.com%00/", "https://api.example.com:/",
        "https://api.example.com:+443/", "https://api.example.com:443x/", "https://api.example.com:65536/",
        "https://api.example.com:4294967739/", "https://[::1]/", "https://api.example.com\t/",
        "https://bücher.example/",
        " https://api.example.com/", "wss://api.example.com/",
        "ftp://api.example.com/", "1https://api.example.com.evil_/", "https:\\\\api.example.com/",
    ])
    func `any other URL is left to the parser`(text: String) {
        for origin in Self.origins { #expect(origin.isOrigin(ofURL: text) != true, "\(origin)") }
        #expect(Self.origins.allSatisfy { $0.isOrigin(ofURL: text) == nil })
    }

    @Test func `of many URLs none counts as one of another origin`() {
        let parts = [
            ["https", "HTTPS", "http", "wss", "h", "1https", ""], ["://", ":/", ":", "//", ":\\\\"],
            ["", "user@", "api.example.com@", "api.example.com:443@"],
            ["api.example.com", "API.example.com", "evil.example", "a.b", "", "api.example.com.", "api.example%2Ecom"],
            ["", ":443", ":8443", ":", ":0443", ":99999", ":80", ":4a"],
            ["", "/", "/v1", "?x", "#f", "\\", "@evil.example"],
        ]
        var texts = [""]
        for part in parts { texts = texts.flatMap { text in part.map { text + $0 } } }
        for text in texts {
            guard let url = URL(string: text) else { continue }
            let parsed = Origin(url)
            for origin in Self.origins {
                guard let isOrigin = origin.isOrigin(ofURL: url.absoluteString) else { continue }
                if isOrigin != (parsed == origin) { Issue.record("\(text) is read as \(isOrigin) for \(origin)") }
            }
        }
    }
}
