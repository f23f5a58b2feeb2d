// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

@testable import RequestAuthorizationOAuth

/// RFC 9728 §7.7: where metadata may lead.
@Suite struct ResourceAddressTests {
    private func problem(_ url: String, of resource: String = "https://notes.example/mcp") throws
        -> ProtectedResourceError?
    {
        do throws(ProtectedResourceError) {
            try ResourceAddresses(of: resource).check(URL(string: url) ?? URL(filePath: "/"), "token_endpoint")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "017700000001", "127.0.0.1.",
        "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]", "localhost", "LOCALHOST", "localhost.", "a.localhost",
        "10.0.0.1", "0x0a.1", "167772161", "012.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.168.257",
        "[::ffff:10.0.0.1]", "[fec0::1]", "[64:ff9b:1::1]",
        "169.254.169.254", "0xA9FEA9FE", "2852039166", "169.254.43518", "[fe80::1]", "[febf::1]",
        "[::ffff:169.254.169.254]",
        "[fc00::1]", "[fdff::1]", "[FD12:3456::1]",
        "100.64.0.1", "100.127.255.255", "0.0.0.0", "0", "0.1.2.3", "[::]", "224.0.0.1", "239.255.255.255", "[ff02::1]",
        "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.0.1",
        "[::ffff:8.8.8.8]", "[::ffff:0808:0808]",
    ])
    func `no literal address of another network is called, in no spelling`(host: String) throws {
        let error = try problem("https://\(host)/token")
        #expect(error?.problem == .forbiddenAddress)
        #expect(error?.member == "token_endpoint")
    }

    @Test(arguments: [
        "fc00.example", "fea.example", "fd12.example.com", "fe80.example", "127.0.0.1.example.com", "0x7f.example",
        "10.example", "localhost.example", "mylocalhost", "as.example", "as.example.", "xn--bcher-kva.example",
        "8.8.8.8", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "[2001:db8::1]", "[fbff::1]",
        "0x7f.1.example",
        "7f000001.example", "dead.beef",
    ])
    func `names that look like an address are names, and public addresses may be called`(host: String) throws {
        #expect(try problem("https://\(host)/token") == nil)
    }

    @Test(arguments: [
        "http://as.example/token", "ftp://as.example/token", "https://user@as.example/token",
        "https://as.example/token#x",
        "https://1.2.3.256/token", "https://1.2.3.4.5/token", "https://as.0x7f/token", "https://as.1/token",
        "https://%31%32%37.0.0.1/token", "https://\u{FF11}\u{FF12}\u{FF17}.0.0.1/token",
        "https://[fe80::1%25eth0]/token", "https://8.8.8.8:65536/token",
        "wss://as.example/token", "token", "https:///token", "file:///etc/passwd",
    ])
    func `a URL that programs may read differently is not called`(url: String) throws {
        #expect(try problem(url)?.problem == .forbiddenAddress)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/mcp", "http://localhost:2/token"), ("http://localhost/mcp", "http://[::1]:2/token"),
        ("https://10.0.0.1/mcp", "https://192.168.0.1/token"), ("https://[fd00::1]/mcp", "https://[fd00::2]/token"),
        ("https://127.0.0.1/mcp", "https://127.0.0.2/token"), ("https://10.0.0.1/mcp", "https://as.example/token"),
    ])
    func `a resource in a network may lead into the same one, and outside`(resource: String, url: String) throws {
        #expect(try problem(url, of: resource) == nil)
    }

    @Test(arguments: [
        ("https://10.0.0.1/mcp", "https://127.0.0.1/token"), ("https://10.0.0.1/mcp", "https://169.254.169.254/token"),
        ("http://127.0.0.1/mcp", "https://10.0.0.1/token"), ("http://127.0.0.1/mcp", "http://as.example/token"),
        ("https://10.0.0.1/mcp", "http://10.0.0.2/token"), ("https://notes.example/mcp", "http://localhost/token"),
    ])
    func `it does not lead into another one`(resource: String, url: String) throws {
        #expect(try problem(url, of: resource)?.problem == .forbiddenAddress)
    }

    @Test(arguments: ["http://notes.example/mcp", "notes.example", "", "http://0x7f.1/mcp", "https://1.2.3.256/mcp"])
    func `the resource itself uses https, or is on loopback in its usual spelling`(resource: String) {
        #expect(throws: ProtectedResourceError.self) { try ResourceAddresses(of: resource) }
    }

    @Test(arguments: ["https://\u{430}pple.example", "https://as.example/ is your own server"])
    func `a person is asked about a server whose URL can be read in one way only`(issuer: String) {
        let found = ProtectedResource(
            identifier: "https://notes.example", server: AuthorizationServer(issuer: issuer))
        let shown = ResourceSignIn.Request(found, [], since: [], .first).issuer
        #expect(shown.hasPrefix("https://") && shown.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(shown)")
    }

    @Test func `the program may forbid more`() throws {
        let addresses = try ResourceAddresses(of: "https://notes.example") { $0.host() != "evil.example" }
        #expect(throws: ProtectedResourceError.self) {
            try addresses.check(try .make("https://evil.example/token"), "token_endpoint")
        }
        try addresses.check(try .make("https://as.example/token"), "token_endpoint")
    }
}
