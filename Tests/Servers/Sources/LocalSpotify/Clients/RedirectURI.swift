// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The rules for redirect URIs.
enum RedirectURI {
    /// Whether a request may name this address, given a registered one.
    ///
    /// The strings must be equal (RFC 6749 §3.1.2.3, RFC 9700 §4.1.3), except for the port of a loopback literal. A
    /// native app learns that port only when it listens (RFC 8252 §7.3).
    static func isAllowed(_ requested: String, by registered: String) -> Bool {
        guard isUsable(registered) else { return false }
        if requested.unicodeScalars.elementsEqual(registered.unicodeScalars) { return true }
        guard let known = Loopback(registered), let asked = Loopback(requested) else { return false }
        return known == asked
    }

    /// Whether Spotify lets an app register it: `https`, `http` to a loopback literal, or a scheme of the app's own; no
    /// fragment.
    private static func isUsable(_ registered: String) -> Bool {
        guard let colon = registered.firstIndex(of: ":"), !registered.contains("#") else { return false }
        switch registered[..<colon] {
        case "http": return Loopback(registered) != nil
        case "https": return registered.hasPrefix("https://") && !registered.hasPrefix("https://localhost")
        case "javascript", "data", "file", "about", "blob": return false
        default: return true
        }
    }

    /// `http`, a loopback literal and any port; the rest must be equal.
    private struct Loopback: Equatable {
        let host: String
        let rest: String

        init?(_ text: String) {
            guard let host = ["http://127.0.0.1", "http://[::1]"].first(where: { text.hasPrefix($0) }) else {
                return nil
            }
            var rest = text.dropFirst(host.count)
            if rest.first == ":" {
                let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
                guard let port = UInt16(digits), port > 0 else { return nil }
                rest = rest.dropFirst(1 + digits.count)
            }
            guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return nil }
            (self.host, self.rest) = (host, String(rest))
        }

        static func == (one: Self, other: Self) -> Bool {
            one.host == other.host && one.rest.unicodeScalars.elementsEqual(other.rest.unicodeScalars)
        }
    }
}
