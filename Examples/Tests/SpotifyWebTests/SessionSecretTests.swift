// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import SpotifyWeb

@Suite struct SessionSecretTests {
    @Test func `each has 43 characters of all kinds and is unique`() {
        var generator = SystemRandomNumberGenerator()
        let secrets = (0..<1000).map { _ in SessionSecret(using: &generator) }
        #expect(Set(secrets).count == 1000)
        #expect(secrets.allSatisfy { SessionSecret($0.text) == $0 })
        #expect(Set(secrets.flatMap { Array($0.text) }).count == 64)
    }

    @Test(arguments: [
        "", "abc", String(repeating: "a", count: 44), String(repeating: "a", count: 42) + "=",
        String(repeating: "ä", count: 22),
    ])
    func `a malformed text is refused`(text: String) { #expect(SessionSecret(text) == nil) }

    @Test func `they match if all characters are equal`() throws {
        let text = String(repeating: "a", count: 43)
        let secret = try #require(SessionSecret(text))
        #expect(secret.matches(SessionSecret(text)))
        #expect(!secret.matches(SessionSecret("b" + text.dropFirst())))
        #expect(!secret.matches(SessionSecret(text.dropLast() + "b")))
        #expect(!secret.matches(nil))
    }

    @Test func `it is never printed`() throws {
        let secret = try #require(SessionSecret(String(repeating: "Q", count: 43)))
        var dumped = ""
        dump(Session(id: secret, formToken: secret, account: 1), to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])"] { #expect(!text.contains("QQQ")) }
    }
}
