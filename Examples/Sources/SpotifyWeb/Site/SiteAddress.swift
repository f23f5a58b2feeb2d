// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The address of the site. It determines the accepted `Host`, whether cookies are `Secure`, and the redirect URI.
///
///     SiteAddress.loopback                                      // http://127.0.0.1 or [::1], on any port
///     try SiteAddress(published: "https://music.example.com")   // behind a proxy with TLS
///
/// Requests for another host are refused. So a foreign name that resolves to this machine (DNS rebinding) gets no page.
public struct SiteAddress: Hashable, Sendable {
    /// A site for one machine, at a loopback literal, as Spotify requires since 2025. `localhost` is not accepted.
    public static let loopback = SiteAddress(published: nil)

    /// `https://music.example.com`, or `nil` for loopback.
    let published: String?

    private init(published: String?) { self.published = published }

    /// - Parameter url: scheme and authority; the scheme must be `https`.
    /// - Throws: ``InvalidSiteAddress`` for plain `http`, and for a URL with a path, query or user.
    public init(published url: String) throws {
        guard let parts = URLComponents(string: url), parts.scheme == "https", let host = parts.host, !host.isEmpty,
            ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user == nil
        else { throw InvalidSiteAddress(address: url) }
        let port = parts.port.map { $0 == 443 ? "" : ":\($0)" } ?? ""
        published = "https://\(host.lowercased())\(port)"
    }

    /// Whether browsers use TLS.
    var isSecure: Bool { published != nil }

    /// The origin of a request, or `nil` if it is for another host.
    ///
    /// - Parameter host: the `Host` field, for instance `127.0.0.1:8080`.
    func origin(of host: String) -> String? {
        guard let published else { return Self.isLoopback(host) ? "http://\(host)" : nil }
        return published == "https://\(host.lowercased())" ? published : nil
    }

    /// The redirect URI, to be registered with Spotify.
    static func redirectURI(at origin: String) -> String { origin + "/callback" }

    // MARK: -

    private static func isLoopback(_ host: String) -> Bool {
        for literal in ["127.0.0.1", "[::1]"] where host.hasPrefix(literal) {
            let port = host.dropFirst(literal.count)
            if port.isEmpty { return true }
            let digits = port.dropFirst()
            return port.first == ":" && !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && UInt16(digits) != nil
        }
        return false
    }
}

/// An address under which a site cannot be published.
public struct InvalidSiteAddress: Error, Hashable, Sendable, CustomStringConvertible {
    public let address: String

    public var description: String {
        "\(address) cannot be the site's address; give scheme and host of an https site, such as https://music.example.com"
    }
}
