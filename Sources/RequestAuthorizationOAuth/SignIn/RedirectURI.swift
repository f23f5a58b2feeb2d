// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The URI to which a server sends users back, compared as text: nothing is decoded, resolved or repaired.
package struct RedirectURI: Hashable, Sendable {
    /// The text that is sent to the server.
    package let text: String
    private let parts: Parts
    /// The pairs of the URI's own query, which a server keeps (RFC 6749 §3.1.2).
    private let ownPairs: [ArraySlice<UInt8>]

    /// Checks that codes may be sent to a redirect URI.
    ///
    /// - Throws: ``SignInError`` that says what to write instead.
    package init(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }),
            let parts = Parts(bytes)
        else { throw Self.problem("write scheme://host/path in ASCII") }
        // RFC 6749 §3.1.2.
        guard !parts.hasFragment else { throw Self.problem("remove the # and all after it") }
        try Self.check(parts)
        let ownPairs = parts.pairs
        let reserved = ["code", "error", "state", "iss", "error_description", "error_uri"]
        guard ownPairs.allSatisfy({ !reserved.contains(FormPairs.name(of: $0) ?? "code") }) else {
            throw Self.problem("remove \(reserved.joined(separator: ", ")) from its query: the server adds them")
        }
        (self.text, self.parts, self.ownPairs) = (text, parts, ownPairs)
    }

    /// The parameters of a callback. All before the `?` must be equal, scheme and host without regard to case.
    ///
    /// - Returns: `nil` if the callback has another URI.
    package func parameters(of callback: String) -> FormPairs? {
        guard let callback = Parts(Array(callback.utf8)), callback.address == parts.address else { return nil }
        let pairs = callback.pairs
        guard ownPairs.allSatisfy(pairs.contains) else { return nil }
        return FormPairs(pairs)
    }

    /// The scheme in lower case.
    package var scheme: String { parts.scheme }
    /// The host in lower case, without the port.
    package var host: String? { parts.host }
    package var path: String { String(decoding: parts.path, as: UTF8.self) }

    // MARK: -

    /// Throws unless a native app or a server can receive codes at the URI (RFC 8252 §7).
    private static func check(_ parts: Parts) throws {
        if parts.authority?.contains("@") == true { throw problem("remove the user name") }
        switch parts.scheme {
        case "https":
            guard let host = parts.host, !host.isEmpty else { throw problem("write https://host/path") }
        case "http":
            // §7.3 and §8.3: `localhost` may resolve to another machine, or another program may listen there.
            guard let host = parts.host, ["127.0.0.1", "[::1]"].contains(host) else {
                throw problem(
                    parts.host == "localhost"
                        ? "use http://127.0.0.1/… or http://[::1]/… in place of localhost"
                        : "use https; http is for 127.0.0.1 and [::1] only")
            }
        case "javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "mailto", "tel":
            throw problem("use a scheme of your app, such as com.example.app:/callback")
        default: break  // §7.1 recommends a reversed domain name, but servers decide what they accept.
        }
        if parts.hasDotSegment { throw problem("remove the segments . and ..") }
    }

    private static func problem(_ advice: String) -> SignInError { SignInError(.redirectURI, detail: advice) }
}

private struct Parts: Hashable, Sendable {
    let scheme: String
    /// The host with its port; `nil` for `com.example.app:/callback`.
    let authority: String?
    let path: [UInt8]
    let query: [UInt8]
    let hasFragment: Bool

    init?(_ bytes: [UInt8]) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let first = bytes.first, first.isASCIILetter,
            bytes[..<colon].allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) })
        else { return nil }
        scheme = String(decoding: bytes[..<colon], as: UTF8.self).asciiLowercased
        var rest = bytes[(colon + 1)...]
        let fragment = rest.firstIndex(of: UInt8(ascii: "#"))
        hasFragment = fragment != nil
        rest = rest[..<(fragment ?? rest.endIndex)]
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        query = mark.map { Array(rest[($0 + 1)...]) } ?? []
        rest = rest[..<(mark ?? rest.endIndex)]
        guard rest.starts(with: "//".utf8) else {
            (authority, path) = (nil, rest.isEmpty ? [UInt8(ascii: "/")] : Array(rest))
            return
        }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        authority = String(decoding: rest[..<end], as: UTF8.self).asciiLowercased
        path = end == rest.endIndex ? [UInt8(ascii: "/")] : Array(rest[end...])
    }

    /// All before the `?`: scheme and host are in lower case, and an empty path is `/`.
    var address: (String, String?, [UInt8]) { (scheme, authority, path) }

    /// The authority without its port.
    var host: String? {
        guard let authority else { return nil }
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority }
        return String(authority[..<colon])
    }

    var pairs: [ArraySlice<UInt8>] { query.split(separator: UInt8(ascii: "&")) }

    var hasDotSegment: Bool {
        path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }
}
