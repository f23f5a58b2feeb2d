// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationOAuth
import Testing

@testable import AuthorizeTool

struct GitCredentialTests {
    @Test(arguments: [
        "git.example#.evil.example", "git.example?.evil.example", "git.example/.evil.example", "me@git.example",
        #"git.example\.evil.example"#, "git.example%2f.evil.example", "git.example/\u{338}.evil.example", "",
    ])
    func `a host that is more than a host has no URL`(host: String) {
        #expect(GitCredential(["protocol=https", "host=\(host)"]).url == nil)
    }

    /// Git decodes the path, so a question mark is part of it.
    @Test(arguments: [("a?b/c#d", "a%3Fb/c%23d"), ("a%2e", "a%252e"), ("a b", "a%20b"), ("\u{338}a", "%CC%B8a")])
    func `a path is encoded`(path: String, encoded: String) {
        let url = GitCredential(["protocol=https", "host=[::1]:8443", "path=\(path)"]).url
        #expect(url == "https://[::1]:8443/\(encoded)")
    }
}

struct ResourceURLTests {
    @Test(arguments: ["/a", "/a/", "/a/b", "/a?b", "/a/c/../b", "/A/../a/b"])
    func `a URL below a resource`(path: String) {
        #expect(ResourceURL.is("HTTPS://H.example:443\(path)", below: "https://h.example/a"))
    }

    @Test(arguments: ["/", "/ab", "/A", "/a/../b", "/a/%2e%2E/b", "/a/.%2e/b", "/a/b/../../ab", "/a%2fb"])
    func `a URL beside a resource`(path: String) {
        #expect(!ResourceURL.is("https://h.example\(path)", below: "https://h.example/a"))
        #expect(ResourceURL.is("https://h.example\(path)", below: "https://h.example"))
    }

    /// One of nginx, IIS and Tomcat takes each for `/b`.
    @Test(arguments: ["/a/..%2Fb", "/a/%2e%2e%5cb", "/a//../b", "/a/..;/b"])
    func `a URL that some servers read as one beside a resource`(path: String) {
        #expect(!ResourceURL.is("https://h.example\(path)", below: "https://h.example/a"))
        #expect(ResourceURL.owner(of: "https://h.example\(path)", among: ["https://h.example/a"]) == nil)
    }

    @Test(arguments: [("/a", false), ("/ab", false), ("/a/", true), ("/a/b", true), ("/a/?b", true)])
    func `a resource with a slash at its end is above what continues there`(path: String, isBelow: Bool) {
        #expect(ResourceURL.is("https://h.example\(path)", below: "https://h.example/a/") == isBelow)
        let owner = ResourceURL.owner(of: "https://h.example\(path)", among: ["https://h.example/a/"])
        #expect(owner == (isBelow ? "https://h.example/a/" : nil))
    }

    @Test(arguments: [
        ("/a/b", "https://h.example/a/"), ("/a", "https://h.example/a"), ("/a/", "https://h.example/a/"),
        ("/?q=1", "https://h.example/?q=1"), ("/c", "https://H.example:443/?a=long%20query"),
    ])
    func `a URL belongs to itself, else to the longest path above it`(path: String, owner: String) {
        let signedIn = [
            "https://H.example:443/?a=long%20query", "https://h.example/a", "https://h.example/a/",
            "https://h.example/?q=1", "https://h.example/?q=23",
        ]
        #expect(ResourceURL.owner(of: "https://h.example" + path, among: signedIn) == owner)
    }
}

struct ToolFailureTests {
    @Test(arguments: [TokenTransportError.Code.responseTooLong, .unreachable, .connectionLost])
    func `only an answer that is too long is one that cannot be used`(code: TokenTransportError.Code) {
        let failure = ToolFailure(TokenTransportError(code, delivery: .mayHaveBeenProcessed), login: "")
        #expect(failure.status == (code == .responseTooLong ? .unusableAnswer : .unavailable))
    }
}
