// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Recognizes a browser by a cookie that it sends only with requests from our own pages.
enum Browser {
    /// - Returns: the id in the cookie, or `nil` if there is none.
    static func id(in call: Call) -> String? {
        call.cookies[cookieName(call)].flatMap { $0.utf8.count == 128 ? $0 : nil }
    }

    /// The field that sets the cookie, sent with every page.
    static func field(_ id: String, for call: Call) -> [String: String] {
        // No `Secure`: this is plain HTTP on loopback. `Lax`: a form of another site cannot send the cookie.
        ["Set-Cookie": "\(cookieName(call))=\(id); Path=/; HttpOnly; SameSite=Lax"]
    }

    /// Whether a form was sent from one of our pages, as far as the browser tells.
    static func isOwnForm(_ call: Call) -> Bool {
        (call.origin ?? call.base) == call.base && (call.fetchSite ?? "same-origin") == "same-origin"
    }

    /// Cookies are not separated by port, so the cookie of each server on this machine has its own name.
    private static func cookieName(_ call: Call) -> String {
        "local-spotify-" + String(call.base.reversed().prefix { ("0"..."9").contains($0) }.reversed())
    }
}
