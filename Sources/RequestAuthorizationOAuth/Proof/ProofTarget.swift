// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The value of `htu` (RFC 9449 §4.2): the target URI without query and fragment, normalized for comparison (§4.3).
///
/// Percent-encodings stay as they are: clients send them unchanged, and some servers compare each byte.
enum ProofTarget {
    static func text(of uri: String) -> String {
        let end = uri.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? uri.endIndex
        let whole = uri[..<end]
        // Usually the spelling is normal already. Bytes, because comparing characters would take longer.
        if isNormal(whole.utf8) { return String(whole) }
        // Clients send `scheme://authority/path`. Any other text is left as it is.
        guard let colon = whole.utf8.firstIndex(of: UInt8(ascii: ":")),
            let start = whole.utf8.index(colon, offsetBy: 3, limitedBy: end), whole[colon..<start] == "://"
        else { return String(whole) }
        let slash = whole[start...].utf8.firstIndex(of: UInt8(ascii: "/"))
        let head = whole[..<(slash ?? end)]
        let path = slash.map { DotSegments.removed(from: whole[$0...]) } ?? "/"
        return "\(normalized(whole[..<colon].lowercased(), authority: head[start...]))\(path)"
    }

    /// Whether a text is `https://`, a plain authority, and a path without dot segments.
    private static func isNormal(_ text: Substring.UTF8View) -> Bool {
        guard text.starts(with: secure) else { return false }
        let authority = text.dropFirst(secure.count)
        guard let slash = authority.firstIndex(where: { !isPlain($0) }), authority[slash] == UInt8(ascii: "/") else {
            return false
        }
        return !DotSegments.mayBe(in: Substring(authority[slash...]))
    }

    private static let secure = Array("https://".utf8)

    /// Normalizes scheme and authority (RFC 3986 §6.2.2.1 and §6.2.3).
    private static func normalized(_ scheme: String, authority: Substring) -> String {
        // The handshake of a WebSocket is an HTTP request (RFC 6455 §1.3).
        let scheme = ["wss": "https", "ws": "http"][scheme] ?? scheme
        // Clients do not send user information in the target (RFC 9110 §4.2.4).
        var host = authority.split(separator: "@").last?.lowercased() ?? ""
        if host.hasSuffix(":") { host.removeLast() }
        if let port = ["https": ":443", "http": ":80"][scheme], host.hasSuffix(port) { host.removeLast(port.count) }
        return "\(scheme)://\(host)"
    }

    /// Whether a byte of an authority needs no normalization: no port, no user information, no upper case.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit ? byte == byte.asciiLowercased : ".-".utf8.contains(byte)
    }
}
