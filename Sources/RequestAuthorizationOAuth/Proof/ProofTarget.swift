// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The value of `htu` (RFC 9449 §4.2): a target URI without query and fragment, spelled as servers compare it (§4.3).
enum ProofTarget {
    static func text(of uri: String) -> String {
        let whole = uri.prefix { $0 != "?" && $0 != "#" }
        guard let colon = whole.firstIndex(of: ":"), whole[colon...].hasPrefix("://") else { return String(whole) }
        let scheme = httpScheme(of: whole[..<colon].lowercased())
        let rest = whole[colon...].dropFirst(3)
        let path = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        // User information is no part of what a client sends as its target (RFC 9110 §4.2.4).
        var authority = rest.prefix { $0 != "/" }.split(separator: "@").last?.lowercased() ?? ""
        if authority.hasSuffix(":") { authority.removeLast() }
        if let port = defaultPort[scheme], authority.hasSuffix(port) { authority.removeLast(port.count) }
        return "\(scheme)://\(authority)\(path)"
    }

    /// A WebSocket begins as a request of HTTP (RFC 6455 §1.3).
    private static func httpScheme(of scheme: String) -> String {
        switch scheme {
        case "wss": "https"
        case "ws": "http"
        default: scheme
        }
    }

    private static let defaultPort = ["https": ":443", "http": ":80"]
}
