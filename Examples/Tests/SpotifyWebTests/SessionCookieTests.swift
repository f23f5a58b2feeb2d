// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import HTTPTypes
import Hummingbird
import Testing

@testable import SpotifyWeb

@Suite struct SessionCookieTests {
    private let id = SessionSecret(String(repeating: "a", count: 43))

    private func request(cookie: String) -> Request {
        Request(
            head: .init(method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.cookie: cookie]),
            body: .init(buffer: .init()))
    }

    /// The attributes of the cookie that is set, in any order.
    private func attributes(_ set: (inout Response) -> Void) throws -> Set<String> {
        var response = Response(status: .ok)
        set(&response)
        let field = try #require(response.headers[.setCookie])
        return Set(field.split(separator: ";").map { $0.trimmingPrefix(" ") }.map(String.init))
    }

    @Test func `on a public site it is secure, bound to the host and hidden from scripts`() throws {
        let id = try #require(id)
        let set = try attributes { SessionCookie(isSecure: true).set(id, on: &$0) }
        #expect(set == ["__Host-spotify-web=\(id.text)", "Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
    }

    @Test func `on loopback it works without TLS`() throws {
        let id = try #require(id)
        let set = try attributes { SessionCookie(isSecure: false).set(id, on: &$0) }
        #expect(set == ["spotify-web=\(id.text)", "Path=/", "HttpOnly", "SameSite=Lax"])
    }

    @Test func `it is removed under the same name and path`() throws {
        let set = try attributes { SessionCookie(isSecure: true).remove(from: &$0) }
        #expect(set == ["__Host-spotify-web=", "Max-Age=0", "Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
    }

    @Test func `only its own name is read, and only a well-formed id`() throws {
        let id = try #require(id)
        let cookie = SessionCookie(isSecure: true)
        #expect(cookie.id(in: request(cookie: "a=b; __Host-spotify-web=\(id.text)")) == id)
        #expect(cookie.id(in: request(cookie: "spotify-web=\(id.text)")) == nil)
        #expect(cookie.id(in: request(cookie: "__Host-spotify-web=\(id.text)x")) == nil)
        #expect(cookie.isPresent(in: request(cookie: "__Host-spotify-web=x")))
        #expect(!cookie.isPresent(in: request(cookie: "spotify-web=\(id.text)")))
    }
}
#endif
