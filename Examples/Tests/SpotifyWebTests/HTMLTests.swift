// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import SpotifyWeb

@Suite struct HTMLTests {
    @Test func `interpolated values are escaped, in text and in attributes`() {
        let name = "<script>alert(\"1\" + '2')</script> & \u{0}co"
        let html: HTML = "<p title=\"\(name)\">\(name)</p>"
        let escaped = "&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt; &amp; \u{FFFD}co"
        #expect(html.markup == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test func `markup in markup is not escaped twice`() {
        let inner: HTML = "<b>\("a & b")</b>"
        #expect(("<p>\(inner)</p>" as HTML).markup == "<p><b>a &amp; b</b></p>")
        #expect(HTML([inner, inner]).markup == "<b>a &amp; b</b>\n<b>a &amp; b</b>")
    }

    @Test func `a character that is escaped may carry a combining mark`() {
        // `<` and U+0338 form one Character, which is not equal to `<`.
        #expect(HTML.escape("<\u{338}b>") == "&lt;\u{338}b&gt;")
    }

    @Test(arguments: [
        "javascript:alert(1)", "https://evil.example/", "spotify:track:../../x", "spotify:track:",
        "spotify:javascript:1",
        "spotify:track:1:2", "spotify:track:ä", "http:track:1", "",
    ])
    func `only an item of Spotify becomes a link`(uri: String) {
        #expect(WebLink(uri: uri) == nil)
        #expect(WebLink.html("x", to: WebLink(uri: uri)).markup == "<bdi>x</bdi>")
    }

    @Test func `a link does not reveal the page that it is on`() throws {
        let link = try #require(WebLink(uri: "spotify:track:11dFghVXANMlKmJXsNCbNl"))
        #expect(
            WebLink.html("<T>", to: link).markup == """
                <a href="https://open.spotify.com/track/11dFghVXANMlKmJXsNCbNl" rel="noopener noreferrer"><bdi>&lt;T&gt;</bdi></a>
                """)
    }
}
