// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Where a server sends people back to, compared as text: nothing is decoded, resolved or repaired.
package struct RedirectURI: Hashable, Sendable {
    /// As it is sent to the server.
    package let text: String
    private let parts: Parts
    /// The pairs of its own query, which a server keeps (RFC 6749 §3.1.2).
    private let ownPairs: [ArraySlice<UInt8>]

    /// Reads a redirect URI that codes may be sent to.
    ///
    /// - Throws: ``SignInError`` that says what to write instead.
    package init(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }),
            let parts = Parts(bytes)
        else { throw Self.problem("write scheme://host/path in ASCII") }
        // RFC 6749 §3.1.2.
        guard !parts.hasFragment else { throw Self.problem("leave out what stands behind the #") }
        try Self.check(parts)
        let ownPairs = parts.pairs
        let reserved = ["code", "error", "state", "iss", "error_description", "error_uri"]
        guard ownPairs.allSatisfy({ !reserved.contains(FormPairs.name(of: $0) ?? "code") }) else {
            throw Self.problem("its query must not hold what the server answers with")
        }
        (self.text, self.parts, self.ownPairs) = (text, parts, ownPairs)
    }

    /// Whether a callback came to this address: everything before its `?` is equal, scheme and host compared without case.
    ///
    /// - Returns: the parameters that it brought; `nil` if it is for somebody else.
    package func parameters(of callback: String) -> FormPairs? {
        guard let callback = Parts(Array(callback.utf8)), callback.address == parts.address else { return nil }
        let pairs = callback.pairs
        guard ownPairs.allSatisfy(pairs.contains) else { return nil }
        return FormPairs(pairs)
    }

    /// In lower case.
    package var scheme: String { parts.scheme }
    /// In lower case, without its port.
    package var host: String? { parts.host }
    package var path: String { String(decoding: parts.path, as: UTF8.self) }

    // MARK: -

    /// RFC 8252 §7: what a native app or a server can receive codes at.
    private static func check(_ parts: Parts) throws {
        switch parts.scheme {
        case "https":
            guard let host = parts.host, !host.isEmpty else { throw problem("write https://host/path") }
        case "http":
            // §7.3 and §8.3: `localhost` may be resolved to another machine, or listened on by somebody else.
            guard let host = parts.host, ["127.0.0.1", "[::1]"].contains(host) else {
                throw problem(
                    parts.host == "localhost"
                        ? "write http://127.0.0.1/… or http://[::1]/… in place of localhost"
                        : "use https; http is for 127.0.0.1 and [::1] only")
            }
        case "javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "mailto", "tel":
            throw problem("choose a scheme that belongs to your app, such as com.example.app:/callback")
        default: break  // §7.1 recommends a reversed domain name, and servers decide what they accept.
        }
        if parts.host?.contains("@") == true { throw problem("leave out the user name") }
        if parts.hasDotSegment { throw problem("leave out the segments . and ..") }
    }

    private static func problem(_ advice: String) -> SignInError { SignInError(.redirectURI, detail: advice) }
}

/// A URI cut into pieces.
private struct Parts: Hashable, Sendable {
    let scheme: String
    /// With its port in ``authority``; `nil` for `com.example.app:/callback`.
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

    /// Everything before the `?`: scheme and host in lower case, an empty path is `/`.
    struct Address: Hashable { let scheme: String, authority: String?, path: [UInt8] }
    var address: Address { Address(scheme: scheme, authority: authority, path: path) }

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
