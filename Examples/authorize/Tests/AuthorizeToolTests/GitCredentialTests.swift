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
}
