// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Scheme, host and port: the reach of a credential (RFC 9110 §4.3.1, RFC 6454 §4).
///
///     let api: Origin = "https://api.example.com"       // port 443
///     let ledger = Origin(scheme: "http", host: "ledger.internal", port: 8080)
///
/// Hosts are compared in lower case, without the brackets of an IPv6 literal, and otherwise to the letter.
public struct Origin: Hashable, Sendable {
    /// In lower case, for instance `https`.
    public let scheme: String
    /// In lower case, an IPv6 literal without brackets.
    public let host: String
    /// The explicit port, or the scheme's own: 443 for `https` and `wss`, 80 for `http` and `ws`, else 0.
    public let port: Int

    public init(scheme: String = "https", host: String, port: Int? = nil) {
        self.scheme = scheme.lowercased()
        let host = host.lowercased()
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port ?? Self.defaultPorts[self.scheme] ?? 0
    }

    /// The origin of a URL; `nil` if it has no scheme or no host.
    public init?(_ url: URL) {
        guard let scheme = url.scheme, let host = url.host(percentEncoded: true), !host.isEmpty else { return nil }
        self.init(scheme: scheme, host: host, port: url.port)
    }

    /// Reads `scheme://host` or `scheme://host:port`, with nothing behind it but an optional `/`.
    ///
    /// - Returns: `nil` if the text holds anything else: user information, a path, a query, a fragment.
    public init?(_ text: String) {
        guard let url = URL(string: text), let origin = Origin(url), url.user == nil, url.password == nil,
            url.query == nil, url.fragment == nil, ["", "/"].contains(url.path)
        else { return nil }
        self = origin
    }

    /// Whether what is sent there can be read on the way: `http` or `ws`.
    public var isPlaintext: Bool { scheme == "http" || scheme == "ws" }

    /// Whether the host is this machine: 127.0.0.0/8, `::1` or `localhost`.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static let defaultPorts = ["https": 443, "http": 80, "wss": 443, "ws": 80]
}

extension Origin: ExpressibleByStringLiteral {
    /// An origin written into the program. A literal that is none is a mistake of the program and stops it.
    public init(stringLiteral text: String) {
        guard let origin = Origin(text) else {
            preconditionFailure("\"\(text)\" is not an origin: write scheme://host or scheme://host:port")
        }
        self = origin
    }
}

extension Origin: CustomStringConvertible {
    public var description: String {
        let literal = host.contains(":") ? "[\(host)]" : host
        return Self.defaultPorts[scheme] == port ? "\(scheme)://\(literal)" : "\(scheme)://\(literal):\(port)"
    }
}
