// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import AuthorizeTool

struct GitCredentialTests {
    /// Found by fuzzing: a carriage return and a line feed are one character, and hid the end of a line.
    @Test(arguments: ["\n", "\r\n"])
    func `lines may end in either way`(end: String) {
        let asked = GitCredential(
            ["protocol=https", "host=git.example", "path=a", "", "host=other"].joined(separator: end))
        #expect(asked.url == "https://git.example/a")
    }

    @Test(arguments: [
        "git.example#.evil.example", "git.example?.evil.example", "git.example/.evil.example", "me@git.example",
        #"git.example\.evil.example"#, "git.example%2f.evil.example", "",
    ])
    func `a host that is more than a host has no URL`(host: String) {
        #expect(GitCredential("protocol=https\nhost=\(host)\n\n").url == nil)
    }

    /// Git decodes the path, so a question mark is part of it.
    @Test(arguments: [("a?b/c#d", "a%3Fb/c%23d"), ("a%2e", "a%252e"), ("a b", "a%20b")])
    func `a path is encoded`(path: String, encoded: String) {
        let url = GitCredential("protocol=https\nhost=[::1]:8443\npath=\(path)\n\n").url
        #expect(url == "https://[::1]:8443/\(encoded)")
    }
}
