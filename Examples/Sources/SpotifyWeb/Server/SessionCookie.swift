// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Hummingbird

/// The cookie with a browser's id. No script can read it, and other sites can send it only by a link.
///
/// With TLS it is `Secure`, and `__Host-` keeps every other host, subdomain and path from setting it (RFC 6265bis
/// §4.1.3.2). On loopback there is no TLS, and some browsers would drop a `Secure` cookie.
struct SessionCookie: Sendable {
    let isSecure: Bool

    var name: String { isSecure ? "__Host-spotify-web" : "spotify-web" }

    /// The id that the browser sent, if it is well formed.
    func id(in request: Request) -> SessionSecret? {
        request.cookies[name].flatMap { SessionSecret($0.value) }
    }

    /// Whether the browser sent the cookie, with any value.
    func isPresent(in request: Request) -> Bool { request.cookies[name] != nil }

    /// The cookie lives until the browser is closed. The server ends the session earlier.
    func set(_ id: SessionSecret, on response: inout Response) { response.setCookie(cookie(id.text, maxAge: nil)) }

    func remove(from response: inout Response) { response.setCookie(cookie("", maxAge: 0)) }

    private func cookie(_ value: String, maxAge: Int?) -> Cookie {
        Cookie(
            name: name, value: value, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
    }
}
#endif
