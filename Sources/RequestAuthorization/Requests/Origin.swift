// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The scheme, host and port of a server: where a credential may go (RFC 9110 §4.3.1, RFC 6454 §4).
///
///     let api: Origin = "https://api.example.com"       // port 443
///     let ledger = Origin(scheme: "http", host: "ledger.internal", port: 8080)
///
/// A WebSocket has the scheme of its handshake: `https` for `wss`, `http` for `ws` (RFC 6455 §4.1, §3).
///
/// Two origins are equal if their spelling is, without regard to case. `example.com.`, a percent-encoded
/// `example%2Ecom` and another spelling of an IP address are other origins: in doubt the credential is not sent.
/// Write an international name as in DNS: `xn--bcher-kva.example`.
public struct Origin: Hashable, Sendable {
    /// In lower case; `https` for `wss` and `http` for `ws`.
    public let scheme: String
    /// In lower case; an IPv6 literal has no brackets, and all but visible ASCII is percent-encoded.
    public let host: String
    /// The explicit port or the default port: 443 for `https`, 80 for `http`, else 0.
    public let port: Int

    /// Creates an origin of its parts. Without a port it has the default port of its scheme.
    public init(scheme: String = "https", host: String, port: Int? = nil) {
        self.scheme = Self.normalized(scheme: scheme.asciiLowercased)
        self.host = Self.normalized(host)
        self.port = port ?? Self.defaultPort(of: self.scheme)
    }

    /// Creates the origin of a URL; `nil` without scheme or host, or with a port above 65535. Ignores other parts.
    public init?(_ url: URL) {
        // Clients that use NIO trap if they are given a larger port, or an empty literal.
        guard let scheme = url.scheme, let host = url.host(percentEncoded: true), !host.isEmpty, host != "[]",
            url.port ?? 0 <= 65_535
        else { return nil }
        // For a host given in Unicode, `host` returns the Unicode name, and `encodedHost` the one in the URL.
        let isEncoded = host.utf8.contains(UInt8(ascii: "%"))
        let encodedHost = isEncoded ? URLComponents(url: url, resolvingAgainstBaseURL: true)?.encodedHost : nil
        self.init(scheme: scheme, host: encodedHost ?? host, port: url.port)
    }

    /// Parses `scheme://host` or `scheme://host:port`, with an optional `/` at the end.
    ///
    /// - Returns: `nil` if the text holds anything else: user information, a path, a query, a fragment, or a port above
    ///   65535. A host may hold ASCII letters, digits, `.`, `-` and `_` only.
    public init?(_ text: String) {
        // This parser is strict: `URL(string:)` repairs malformed text.
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            let first = bytes.first, first.isASCIILetter,
            bytes[..<colon].allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) })
        else { return nil }
        var authority = bytes[(colon + 3)...]
        if authority.last == UInt8(ascii: "/") { authority.removeLast() }
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.init(scheme: String(decoding: bytes[..<colon], as: UTF8.self), host: host, port: port)
    }

    /// Whether requests to this origin can be read on the network: `http`, and so `ws`.
    package var isPlaintext: Bool { scheme == "http" }

    /// Whether the host is this machine: 127.0.0.0/8 as four decimal numbers, `::1` or `localhost`.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        guard host.hasPrefix("127.") else { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // Compares the printed number: `UInt8("+1")` and `UInt8("01")` are numbers too.
        return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }
}

extension Origin: ExpressibleByStringLiteral {
    /// Creates an origin from a literal. A malformed literal is a programming error and ends the process.
    public init(stringLiteral text: String) {
        guard let origin = Origin(text) else {
            preconditionFailure("\"\(text)\" is not an origin: write scheme://host or scheme://host:port")
        }
        self = origin
    }
}

extension Origin: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let place = "\(scheme)://" + (host.contains(":") ? "[\(host)]" : host)
        return port == Self.defaultPort(of: scheme) ? place : "\(place):\(port)"
    }
}

// MARK: - Reading

extension Origin {
    static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : scheme == "http" ? 80 : 0 }

    /// A WebSocket begins as a request of `http` or `https` to the same host and port.
    private static func normalized(scheme: String) -> String {
        scheme == "wss" ? "https" : scheme == "ws" ? "http" : scheme
    }

    /// Keeps ASCII only: Swift compares strings by canonical equivalence, and DNS does not.
    private static func normalized(_ host: String) -> String {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.contains(UInt8(ascii: ":"))
        let host = isBracketed ? String(host.dropFirst().dropLast()) : host
        let isVisible = { (byte: UInt8) in (0x21...0x7E).contains(byte) }
        if host.utf8.allSatisfy(isVisible) { return host.asciiLowercased }
        return host.utf8.reduce(into: "") { text, byte in
            if isVisible(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte.asciiLowercased))
            } else {
                text += byte < 0x10 ? "%0" : "%"
                text += String(byte, radix: 16)
            }
        }
    }

    private static func hostAndPort(_ authority: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
        let host: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[...end]
            let address = host.dropFirst().dropLast()
            guard address.contains(UInt8(ascii: ":")),
                address.allSatisfy({ "0123456789abcdef:.".utf8.contains($0.asciiLowercased) })
            else { return nil }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            guard host.allSatisfy({ $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }) else { return nil }
        }
        guard !host.isEmpty else { return nil }
        let name = String(decoding: host, as: UTF8.self)
        let rest = authority[host.endIndex...]
        if rest.isEmpty { return (name, nil) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(\.isASCIIDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port)
        else { return nil }
        return (name, port)
    }
}
