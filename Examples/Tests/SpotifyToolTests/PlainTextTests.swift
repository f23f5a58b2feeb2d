// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import SpotifyTool
import Testing

@Suite struct `Untrusted text` {
    @Test(arguments: [
        ("Night Ferry", "Night Ferry"), ("Über den Dächern 🎵", "Über den Dächern 🎵"),
        ("\u{1B}[31mred\u{1B}[0m", "[31mred[0m"), ("\u{1B}]0;title\u{7}", "]0;title"), ("\u{9B}2J", "2J"),
        ("a\rb\nc\td", "a b c d"), ("a\u{0}b\u{7F}c\u{8}", "abc"),
        ("abc\u{202E}def\u{2066}\u{200F}", "abcdef"), ("\u{FEFF}a\u{2028}b\u{00AD}", "a b"),
        ("👩\u{200D}🚀", "👩\u{200D}🚀"),
    ])
    func `reaches a terminal without characters that move, hide or reverse text`(text: String, plain: String) {
        #expect(PlainText.clean(text) == plain)
    }

    @Test func `is escaped in JSON and stays the same JSON`() throws {
        let text = "a\u{1B}[31m\u{9B}\u{202E}\u{E0041}\"\\ü🎵\u{2028}\n"
        let json = try ToolOutput.json([text])
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
        #expect(PlainText.clean(json.replacing("\n", with: "")) == json.replacing("\n", with: ""))
        #expect(json.contains(#"\u009b\u202e\udb40\udc41"#))
    }

    @Test(arguments: [("abc", 3), ("ü", 1), ("音楽", 4), ("🎵", 2), ("e\u{301}", 1), ("", 0)])
    func `has the width that a terminal gives it`(text: String, width: Int) {
        #expect(Span(text).width == width)
    }
}
