// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import SpotifyTool
import Testing

@Suite struct `Rendered output` {
    private let table = Block.table(
        ["track", "artists"], [["Night Ferry", "The Harbour Lights"], [.bold("音楽"), "\u{1B}[2Jx"], ["", .bad("y")]])

    @Test func `has columns under headings`() {
        #expect(
            Renderer(colours: false).render([table]) == """
                track        artists
                Night Ferry  The Harbour Lights
                音楽         [2Jx
                             y
                """)
    }

    @Test func `has colours only if requested, and none from untrusted text`() {
        let line = Block.line([.good("signed in"), " as ", .bold("\u{1B}[31mada")])
        #expect(Renderer(colours: false).render([line]) == "signed in as [31mada")
        #expect(
            Renderer(colours: true).render([line]) == "\u{1B}[32msigned in\u{1B}[0m as \u{1B}[1m[31mada\u{1B}[0m")
        let painted = Renderer(colours: true).render([table])
        #expect(painted.contains("\u{1B}[1m音楽\u{1B}[0m         [2Jx"), "escapes do not count for the width of a column")
    }

    @Test func `has one line for each fact`() {
        let facts = Block.facts([("account", "me"), ("expires", .dim("in 59 min"))])
        #expect(Renderer(colours: false).render([facts]) == "account  me\nexpires  in 59 min")
    }
}
