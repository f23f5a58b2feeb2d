// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

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
    /// Where an authorization request is handed in before a person sees it (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: URL?
    /// Whether the server takes no other authorization requests.
    public var requiresPushedAuthorizationRequests: Bool
    /// Whether the server says that it names itself in every answer (RFC 9207): one without `iss` is refused then.
    public var announcesIssuer: Bool
    /// In what the server differs from the standards.
    public var quirks: ServerQuirks
    /// The members of its metadata that have no place here, as they came: read them with ``metadataText(_:)`` and its kin.
    public var additionalMetadata: [String: JSONValue]

    public init(
        issuer: String? = nil, authorizationEndpoint: URL? = nil, tokenEndpoint: URL? = nil,
        refreshEndpoint: URL? = nil, deviceAuthorizationEndpoint: URL? = nil, revocationEndpoint: URL? = nil,
        introspectionEndpoint: URL? = nil, pushedAuthorizationRequestEndpoint: URL? = nil,
        requiresPushedAuthorizationRequests: Bool = false, announcesIssuer: Bool = false,
        quirks: ServerQuirks = ServerQuirks(),
        additionalMetadata: [String: JSONValue] = [:]
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.refreshEndpoint = refreshEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.introspectionEndpoint = introspectionEndpoint
        self.pushedAuthorizationRequestEndpoint = pushedAuthorizationRequestEndpoint
        self.requiresPushedAuthorizationRequests = requiresPushedAuthorizationRequests
        self.announcesIssuer = announcesIssuer
        self.quirks = quirks
        self.additionalMetadata = additionalMetadata
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
