// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

import RequestAuthorization

/// Where an OAuth 2 authorization server is to be reached, and in what it differs: a value, written down or discovered.
///
///     let server = AuthorizationServer(
///         issuer: "https://accounts.example.com",
///         authorizationEndpoint: URL(string: "https://accounts.example.com/authorize"),
///         tokenEndpoint: URL(string: "https://accounts.example.com/token"))
///     let discovered = try await AuthorizationServer.discover(issuer: "https://id.example.com", transport: URLSession.shared)
///
/// What you say wins: metadata fills only what is `nil`, and what they do not list is not forbidden. Endpoints are called over
/// `https`, or over `http` on this machine; one with a fragment is refused (RFC 6749 §3.1, §3.2).
public struct AuthorizationServer: Sendable, Hashable {
    /// The server's name for itself, compared by code points (RFC 8414 §2); `nil` if it has none or you do not know it.
    public var issuer: String?
    /// Where people sign in.
    public var authorizationEndpoint: URL?
    /// Where codes and refresh tokens are exchanged.
    public var tokenEndpoint: URL?
    /// Where refresh tokens are exchanged, if elsewhere: proxies that keep a client's secret have two addresses.
    public var refreshEndpoint: URL?
    /// Where a sign-in on another device begins (RFC 8628).
    public var deviceAuthorizationEndpoint: URL?
    /// Where tokens are revoked (RFC 7009).
    public var revocationEndpoint: URL?
    /// Where a resource server asks what a token is worth (RFC 7662).
    public var introspectionEndpoint: URL?
    /// Whether the server says that it names itself in every answer (RFC 9207): one without `iss` is refused then.
    public var announcesIssuer: Bool
    /// In what the server differs from the standards.
    public var quirks: ServerQuirks

    public init(
        issuer: String? = nil, authorizationEndpoint: URL? = nil, tokenEndpoint: URL? = nil,
        refreshEndpoint: URL? = nil, deviceAuthorizationEndpoint: URL? = nil, revocationEndpoint: URL? = nil,
        introspectionEndpoint: URL? = nil, announcesIssuer: Bool = false, quirks: ServerQuirks = ServerQuirks()
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.refreshEndpoint = refreshEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.introspectionEndpoint = introspectionEndpoint
        self.announcesIssuer = announcesIssuer
        self.quirks = quirks
    }
}

extension AuthorizationServer {
    /// Simple string comparison, code point by code point (RFC 8414 §3.3 and §4): `==` of strings would take two spellings of
    /// an accented letter for the same.
    package static func isSameIssuer(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    /// An endpoint that must be known, checked.
    ///
    /// - Parameter name: its name in the metadata, for instance `token_endpoint`.
    package func endpoint(_ url: URL?, named name: String) throws -> URL {
        guard let url else { throw AuthorizationServerError(.missingEndpoint, member: name) }
        try Self.check(url, named: name)
        return url
    }

    /// RFC 6749 §3.1 and §3.2: TLS, and no fragment; `http` only where nothing leaves this machine.
    package static func check(_ url: URL, named name: String) throws {
        guard let origin = Origin(url) else { throw AuthorizationServerError(.notAURL, member: name) }
        guard url.isOfHTTP, origin.scheme == "https" || (origin.scheme == "http" && origin.isLoopback) else {
            throw AuthorizationServerError(.insecure, member: name)
        }
        if url.fragment() != nil { throw AuthorizationServerError(.fragment, member: name) }
    }
}

extension URL {
    /// Whether requests go there: the origin of a WebSocket is that of its handshake.
    package var isOfHTTP: Bool { ["https", "http"].contains(scheme?.lowercased()) }
}

// MARK: - Coding

extension AuthorizationServer: Codable {
    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case refreshEndpoint = "refresh_endpoint"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case introspectionEndpoint = "introspection_endpoint"
        case announcesIssuer = "authorization_response_iss_parameter_supported"
        case quirks
    }

    /// Reads what was encoded, and as much of a server's metadata (RFC 8414 §2) as there is a place for here.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func url(_ key: CodingKeys) throws -> URL? { try values.decodeIfPresent(URL.self, forKey: key) }
        self.init(
            issuer: try values.decodeIfPresent(String.self, forKey: .issuer),
            authorizationEndpoint: try url(.authorizationEndpoint), tokenEndpoint: try url(.tokenEndpoint),
            refreshEndpoint: try url(.refreshEndpoint),
            deviceAuthorizationEndpoint: try url(.deviceAuthorizationEndpoint),
            revocationEndpoint: try url(.revocationEndpoint),
            introspectionEndpoint: try url(.introspectionEndpoint),
            announcesIssuer: try values.decodeIfPresent(Bool.self, forKey: .announcesIssuer) ?? false,
            quirks: try values.decodeIfPresent(ServerQuirks.self, forKey: .quirks) ?? ServerQuirks())
    }
}
