// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

struct DotSegmentTests {
    @Test(arguments: [
        ("https://a.example/b/../c", "https://a.example/c"),
        ("https://a.example/./b?c=/../d", "https://a.example/b?c=/../d"),
        ("https://a.example", "https://a.example"),
        // A mark makes one character with the slash before it.
        ("https://a.example/b/../\u{338}c", "https://a.example/\u{338}c"),
        ("https://a.example/b/\u{338}/../c", "https://a.example/b/c"),
        ("https://a.example/\u{338}b/./c", "https://a.example/\u{338}b/c"),
    ])
    func `the dot segments of a path are removed`(url: String, expected: String) {
        #expect(DotSegments.removed(fromURL: url) == expected)
    }

    /// Found by fuzzing: the first colon may be in the query.
    @Test(arguments: ["?next=https://a.example/../b", "a?b://c", "a#b://c/../d", "://", ":"])
    func `a text without a scheme and a host stays as it is`(url: String) {
        #expect(DotSegments.removed(fromURL: url) == url)
    }
}
