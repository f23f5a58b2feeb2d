// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import SpotifyWeb

@Suite struct SiteAddressTests {
    @Test(arguments: ["127.0.0.1", "127.0.0.1:8080", "[::1]:8080"])
    func `the loopback site is served under a literal, on any port`(host: String) {
        #expect(SiteAddress.loopback.origin(of: host) == "http://\(host)")
        #expect(!SiteAddress.loopback.isSecure)
    }

    @Test(arguments: [
        "localhost:8080", "evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example", "127.0.0.1:",
        "127.0.0.1:x",
        "127.0.0.1:+80", "127.0.0.1:99999", "[::1", "127.0.0.2", "",
    ])
    func `the loopback site is served under no other name`(host: String) {
        #expect(SiteAddress.loopback.origin(of: host) == nil)
    }

    @Test func `a published site is served under its own name only`() throws {
        let site = try SiteAddress(published: "https://music.example.com/")
        #expect(site.isSecure)
        #expect(site.origin(of: "Music.example.com") == "https://music.example.com")
        #expect(site.origin(of: "music.example.com:8443") == nil)
        #expect(site.origin(of: "127.0.0.1:8080") == nil)
        #expect(SiteAddress.redirectURI(at: "https://music.example.com") == "https://music.example.com/callback")
        #expect(
            try SiteAddress(published: "https://a.example:8443").origin(of: "a.example:8443")
                == "https://a.example:8443")
        #expect(try SiteAddress(published: "https://a.example:443").origin(of: "a.example") == "https://a.example")
    }

    @Test(arguments: [
        "http://music.example.com", "https://", "music.example.com", "https://a.example/x", "https://a.example?x",
        "https://u@a.example", "https://a.example#x",
    ])
    func `a site is published by an https URL with scheme and host only`(address: String) {
        #expect(throws: InvalidSiteAddress(address: address)) { try SiteAddress(published: address) }
    }

    @Test(arguments: ReturnPath.allCases)
    func `a log-in leads to the requested page`(path: ReturnPath) {
        #expect(ReturnPath(asked: path.rawValue) == path)
    }

    @Test(arguments: [
        "https://evil.example/", "//evil.example", "/\\evil.example", "/me/../x", "/ME", "/me ", "%2Fnow", "", nil,
    ])
    func `a log-in leads to no page that is not in the list`(asked: String?) {
        #expect(ReturnPath(asked: asked) == .profile)
    }

    @Test func `the link to log in names the page to come back to`() {
        #expect(
            ReturnPath.allCases.map(\.logInPath) == [
                "/login?return_to=%2F", "/login?return_to=%2Fme", "/login?return_to=%2Fnow",
            ])
    }
}
