// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct OriginTests {
    @Test(arguments: [
        ("https://api.example.com", "https", "api.example.com", 443),
        ("https://api.example.com/", "https", "api.example.com", 443),
        ("HTTPS://API.Example.COM", "https", "api.example.com", 443),
        ("https://api.example.com:443", "https", "api.example.com", 443),
        ("https://api.example.com:8443/", "https", "api.example.com", 8443),
        ("http://ledger.internal", "http", "ledger.internal", 80),
        ("ws://host_1-2", "http", "host_1-2", 80),
        ("wss://host", "https", "host", 443),
        ("WSS://host:8443", "https", "host", 8443),
        ("http://[::1]:8080", "http", "::1", 8080),
        ("https://[2001:DB8::1]", "https", "2001:db8::1", 443),
        ("https://[::ffff:192.0.2.1]", "https", "::ffff:192.0.2.1", 443),
        ("coap+tcp://host", "coap+tcp", "host", 0),
        ("https://xn--bcher-kva.example", "https", "xn--bcher-kva.example", 443),
    ])
    func `a text that is an origin is read`(text: String, scheme: String, host: String, port: Int) throws {
        let origin = try #require(Origin(text))
        #expect((origin.scheme, origin.host, origin.port) == (scheme, host, port))
        #expect(URL(string: text).flatMap { Origin($0) } == origin)
        #expect(Origin(origin.description) == origin)
    }

    @Test(arguments: [
        "", "https", "https:", "https:api.example.com", "https:/api.example.com", "https://", "https:///", "//host",
        "https://api.example.com/v1", "https://api.example.com//", "https://api.example.com?", "https://a.example?q=1",
        "https://api.example.com#", "https://user@api.example.com", "https://user:pass@api.example.com",
        "https://@api.example.com", "https://api.example.com\\.evil.com", "https://evil.com\\@api.example.com",
        "https://api.example.com:", "https://api.example.com:0", "https://api.example.com:65536",
        "https://api.example.com:-1", "https://api.example.com:+1", "https://api.example.com:8o",
        "https://api.example.com:443:443", "https://api.example.com:99999999999999999999", "https://a b.example",
        "https://a\tb.example", " https://a.example", "https://a.example\n", "https://a.example\u{0}", "https://a%2Eb",
        "https://b\u{FC}cher.example", "https://\u{FF45}xample.com", "https://a;b", "https://a,b", "https://*.example",
        "https://[api.example.com]", "https://[::1", "https://::1", "https://[::1]x", "https://[::1%25eth0]",
        "https://[]", "1https://host", "ht tps://host", "://host",
    ])
    func `any other text is no origin`(text: String) {
        #expect(Origin(text) == nil)
    }

    @Test(arguments: [
        ("https://api.example.com:443/a?b#c", "https://api.example.com"),
        ("https://API.EXAMPLE.COM/", "https://api.example.com"),
        ("https://user:pass@api.example.com/", "https://api.example.com"),
        ("https://api.example.com@evil.com/", "https://evil.com"),
        ("https://api.example.com:443@evil.com/", "https://evil.com"),
        ("https://api.example.com%2F@evil.com/", "https://evil.com"),
        ("https://evil.com#@api.example.com/", "https://evil.com"),
        ("https://evil.com?@api.example.com/", "https://evil.com"),
        ("https://evil.com/@api.example.com/", "https://evil.com"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example"),
        ("http://[::1]:8080/", "http://[::1]:8080"), ("https://192.0.2.1:65535/", "https://192.0.2.1:65535"),
    ])
    func `a URL has the origin of its host`(url: String, origin: Origin) throws {
        #expect(Origin(try #require(URL(string: url))) == origin)
    }

    @Test(arguments: [
        "http://api.example.com/", "https://api.example.com:444/", "https://api.example.com./",
        "https://api.example%2Ecom/", "https://api.example.com.evil.com/", "https://evil.com%5C@api.example.com:1/",
        "https://api.example.com%00.evil.com/", "https://api.example.com%09/", "https://xapi.example.com/",
        "https://example.com/", "ws://api.example.com/", "https://[::1]/",
    ])
    func `a URL in doubt has another origin`(url: String) throws {
        #expect(Origin(try #require(URL(string: url))) != "https://api.example.com")
    }

    @Test func `a WebSocket has the origin of its handshake`() throws {
        #expect(Origin(try #require(URL(string: "wss://api.example.com/feed"))) == "https://api.example.com")
        #expect(Origin(try #require(URL(string: "ws://127.0.0.1:8080/feed"))) == "http://127.0.0.1:8080")
        #expect(Origin(scheme: "WSS", host: "a") == Origin(host: "a"))
        #expect(Origin(scheme: "ws", host: "a").isPlaintext && !Origin(scheme: "wss", host: "a").isPlaintext)
    }

    @Test func `a backslash does not smuggle a host`() {
        for text in ["https://evil.com\\@api.example.com:8/", "https://api.example.com\\.evil.com/"] {
            #expect(URL(string: text).flatMap { Origin($0) } != "https://api.example.com")
        }
    }

    @Test(arguments: ["api/v1", "https:api.example.com", "/", "https:///x", "mailto:a@api.example.com"])
    func `a URL without scheme or host has no origin`(url: String) throws {
        #expect(Origin(try #require(URL(string: url))) == nil)
    }

    /// async-http-client ends the program if it is given one.
    @Test(arguments: [
        "https://192.0.2.1:65536/", "https://[2001:db8::1]:99999/", "https://api.example.com:4294967739/v1",
        "https://[]/",
    ])
    func `a URL with a port above 65535, or with an empty literal, has no origin`(url: String) {
        #expect(URL(string: url).flatMap { Origin($0) } == nil)
    }

    @Test func `a name in Unicode has the origin of the URL that is made with it`() throws {
        let url = try #require(URL(string: "https://b\u{FC}cher.example:8443/"))
        let spelling = try #require(URL(string: url.absoluteString))
        #expect(Origin(url) == Origin(spelling))
    }

    @Test func `only ASCII letters are compared without case`() {
        #expect(Origin(host: "api.\u{212A}.example") != Origin(host: "api.k.example"))  // Kelvin sign
        #expect(Origin(host: "api.\u{212A}.example") != Origin(host: "api.K.example"))
        #expect(Origin(host: "a\u{37E}b") != Origin(host: "a;b"))  // canonically equivalent in Unicode
        #expect(Origin(host: "\u{E9}.example") != Origin(host: "e\u{301}.example"))
        #expect(Origin(scheme: "HTTPS", host: "A") == Origin(scheme: "https", host: "a"))
    }

    @Test func `a host from outside cannot write into a log`() {
        let origin = Origin(scheme: "http", host: "a\r\nX-Injected: 1\u{1B}[2J\u{202E}")
        #expect(origin.host == "a%0d%0ax-injected:%201%1b[2j%e2%80%ae")
        #expect(origin.isPlaintext && !origin.isLoopback)
    }

    @Test func `brackets belong to IPv6 literals alone`() {
        #expect(Origin(host: "[2001:db8::1]") == Origin(host: "2001:DB8::1"))
        #expect(Origin(host: "[api.example.com]") != Origin(host: "api.example.com"))
        #expect(Origin(scheme: "http", host: "::1", port: 81).description == "http://[::1]:81")
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "127.255.255.255", "localhost", "LocalHost", "::1", "[::1]"])
    func `this machine is loopback`(host: String) {
        #expect(Origin(scheme: "http", host: host).isLoopback)
    }

    @Test(arguments: [
        "127.0.0.1.evil.com", "127.0.0.evil", "127.1", "127.0.0.256", "127.0.0.01", "127.+0.0.1", "127.-0.0.1",
        "127.0.0.1.", "127..0.1", "127.0.0", "0127.0.0.1", "0x7f.1", "0x7f.0.0.1", "2130706433", "0.0.0.0", "128.0.0.1",
        "localhost.", "localhost.evil.com", "evil.localhost", "notlocalhost", "%6cocalhost", "127.0.0.1%2Eevil.com",
        "127.0.0.1%00.evil.com", "::ffff:127.0.0.1", "::1%25eth0", "::2", "\u{FF11}27.0.0.1", "127.0.0.\u{661}", "",
    ])
    func `a host that only looks like this machine is not loopback`(host: String) {
        #expect(!Origin(scheme: "http", host: host).isLoopback)
    }
}
