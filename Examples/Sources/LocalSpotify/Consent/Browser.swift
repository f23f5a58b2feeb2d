// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Knows a browser again by a cookie that only our own pages send.
enum Browser {
    /// - Returns: what the browser showed, else `nil`.
    static func id(in call: Call) -> String? {
        call.cookies[cookieName(call)].flatMap { $0.utf8.count == 128 ? $0 : nil }
    }

    /// The field that gives a browser its id, again with every page.
    static func field(_ id: String, for call: Call) -> [String: String] {
        // No `Secure`: this is plain HTTP on loopback. Lax: no form of another site brings it along.
        ["Set-Cookie": "\(cookieName(call))=\(id); Path=/; HttpOnly; SameSite=Lax"]
    }

    /// Whether a form was sent from a page of ours, as far as the browser tells.
    static func isOwnForm(_ call: Call) -> Bool {
        (call.origin ?? call.base) == call.base && (call.fetchSite ?? "same-origin") == "same-origin"
    }

    /// Cookies know no ports: each server on this machine has a name of its own.
    private static func cookieName(_ call: Call) -> String {
        "local-spotify-" + String(call.base.reversed().prefix { ("0"..."9").contains($0) }.reversed())
    }
}
