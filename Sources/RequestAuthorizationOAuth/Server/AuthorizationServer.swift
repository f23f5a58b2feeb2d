// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The endpoints of an OAuth 2 authorization server and its differences from the standards, written down or discovered.
///
///     let server = AuthorizationServer(
///         issuer: "https://accounts.example.com",
///         authorizationEndpoint: URL(string: "https://accounts.example.com/authorize"),
///         tokenEndpoint: URL(string: "https://accounts.example.com/token"))
///     let discovered = try await AuthorizationServer.discover(issuer: "https://id.example.com", transport: URLSession.shared)
///
/// Your values have precedence: metadata fill only properties that are `nil`. A feature that the metadata do not list
/// can still be used, except PKCE (``ServerQuirks/requiresListedPKCE``). Endpoints are called over `https`, or over
/// `http` on loopback. An endpoint with a fragment is refused (RFC 6749 §3.1, §3.2).
public struct AuthorizationServer: Sendable, Hashable {
    /// The server's own name, compared by code points (RFC 8414 §2); `nil` if it has none or you do not know it.
    public var issuer: String?
    /// The page on which users sign in.
    public var authorizationEndpoint: URL?
    /// The URL at which codes and refresh tokens are exchanged.
    public var tokenEndpoint: URL?
    /// The URL at which refresh tokens are exchanged, if it differs: proxies that keep a client's secret have two URLs.
    public var refreshEndpoint: URL?
    /// The URL at which a sign-in on another device begins (RFC 8628).
    public var deviceAuthorizationEndpoint: URL?
    /// The URL at which tokens are revoked (RFC 7009).
    public var revocationEndpoint: URL?
    /// The URL at which resource servers introspect tokens (RFC 7662).
    public var introspectionEndpoint: URL?
    /// The URL to which a client pushes an authorization request, before the user opens the server's page (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: URL?
    /// Whether the server accepts only pushed authorization requests.
    public var requiresPushedAuthorizationRequests: Bool
    /// Whether the server names itself in every callback (RFC 9207). A callback without `iss` is refused then.
    public var announcesIssuer: Bool
    /// How the server differs from the standards.
    public var quirks: ServerQuirks
    /// Names that the server had before: it gets stored tokens of these issuers too.
    ///
    ///     server.formerIssuers = ["https://old.example.com"]
    ///
    /// Each is an ``issuer``, or, of a server that has none, the origin of its former token endpoint. Issuers are compared
    /// by code points, so a slash that was added at the end is a new name. The list is not encoded and not read from
    /// metadata: a server's own document must not get it other servers' tokens. Set it in code.
    public var formerIssuers: [String]
    /// The members of the metadata that have no property, unchanged; see ``metadataTexts(_:)``.
    public var additionalMetadata: [String: JSONValue]

    public init(
        issuer: String? = nil, authorizationEndpoint: URL? = nil, tokenEndpoint: URL? = nil,
        refreshEndpoint: URL? = nil, deviceAuthorizationEndpoint: URL? = nil, revocationEndpoint: URL? = nil,
        introspectionEndpoint: URL? = nil, pushedAuthorizationRequestEndpoint: URL? = nil,
        requiresPushedAuthorizationRequests: Bool = false, announcesIssuer: Bool = false,
        quirks: ServerQuirks = ServerQuirks(), formerIssuers: [String] = [],
        additionalMetadata: [String: JSONValue] = [:]
    ) {
        (self.issuer, self.authorizationEndpoint) = (issuer, authorizationEndpoint)
        (self.tokenEndpoint, self.refreshEndpoint) = (tokenEndpoint, refreshEndpoint)
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        (self.revocationEndpoint, self.introspectionEndpoint) = (revocationEndpoint, introspectionEndpoint)
        self.pushedAuthorizationRequestEndpoint = pushedAuthorizationRequestEndpoint
        self.requiresPushedAuthorizationRequests = requiresPushedAuthorizationRequests
        (self.announcesIssuer, self.quirks, self.formerIssuers) = (announcesIssuer, quirks, formerIssuers)
        self.additionalMetadata = additionalMetadata
    }

    /// Compares code points (RFC 8414 §3.3 and §4): `==` would accept two spellings of an accented letter.
    package static func isSameIssuer(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    /// Checks that an endpoint is known and may be called, and returns it. `name` is its name in the metadata.
    package func endpoint(_ url: URL?, named name: String) throws -> URL {
        guard let url else { throw AuthorizationServerError(.missingEndpoint, member: name) }
        try Self.check(url, named: name)
        return url
    }

    /// Throws unless a URL uses TLS, or `http` on loopback, and has no fragment (RFC 6749 §3.1 and §3.2).
    package static func check(_ url: URL, named name: String) throws {
        guard Origin(url) != nil else { throw AuthorizationServerError(.notAURL, member: name) }
        guard url.isSafe else { throw AuthorizationServerError(.insecure, member: name) }
        if url.fragment() != nil { throw AuthorizationServerError(.fragment, member: name) }
    }
}

extension AuthorizationServer {
    /// The endpoints that have a property, with their names in the metadata.
    static var endpoints: [(name: String, path: WritableKeyPath<AuthorizationServer, URL?>)] {
        [
            ("authorization_endpoint", \.authorizationEndpoint), ("token_endpoint", \.tokenEndpoint),
            ("refresh_endpoint", \.refreshEndpoint), ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
            ("revocation_endpoint", \.revocationEndpoint), ("introspection_endpoint", \.introspectionEndpoint),
            ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
        ]
    }

    /// The endpoints that are called or shown, with their names in the metadata.
    var namedEndpoints: [(name: String, url: URL)] {
        var endpoints = Self.endpoints
        endpoints.append(("registration_endpoint", \.registrationEndpoint))
        return endpoints.compactMap { name, path in self[keyPath: path].map { (name: name, url: $0) } }
    }

    /// The URL at which programs register (RFC 7591); a member of ``additionalMetadata``.
    public var registrationEndpoint: URL? {
        get { metadataText("registration_endpoint").flatMap { URL(string: $0) } }
        set { additionalMetadata["registration_endpoint"] = newValue.map { .string($0.absoluteString) } }
    }
}

// MARK: - Known servers

extension AuthorizationServer {
    /// GitHub. It answers errors with status 200 and its own error codes, and separates scopes with commas.
    ///
    /// Its documentation: "Authorizing OAuth apps" and "Troubleshooting OAuth app access token request errors".
    public static var gitHub: AuthorizationServer {
        let base = "https://github.com/login"
        return AuthorizationServer(
            authorizationEndpoint: URL(string: "\(base)/oauth/authorize"),
            tokenEndpoint: URL(string: "\(base)/oauth/access_token"),
            deviceAuthorizationEndpoint: URL(string: "\(base)/device/code"),
            quirks: ServerQuirks(
                scopeSeparators: [" ", ","],
                errorKinds: [
                    "bad_refresh_token": .terminal, "bad_verification_code": .terminal,
                    "incorrect_client_credentials": .client, "redirect_uri_mismatch": .client,
                ],
                signOutAdvice: "remove the app at https://github.com/settings/applications"))
    }

    /// Google. It gives a refresh token only with the authorization parameter `access_type` = `offline`.
    public static var google: AuthorizationServer {
        AuthorizationServer(
            issuer: "https://accounts.google.com",
            authorizationEndpoint: URL(string: "https://accounts.google.com/o/oauth2/v2/auth"),
            tokenEndpoint: URL(string: "https://oauth2.googleapis.com/token"),
            deviceAuthorizationEndpoint: URL(string: "https://oauth2.googleapis.com/device/code"),
            revocationEndpoint: URL(string: "https://oauth2.googleapis.com/revoke"))
    }
}

extension AuthorizationServer {
    /// Microsoft Entra ID. The client declares that it understands demands for claims (`cp1`).
    ///
    /// Its documentation: "Claims challenges, claims requests and client capabilities" and "Microsoft identity platform
    /// and OAuth 2.0 authorization code flow". It has no revocation.
    ///
    /// - Parameter tenant: the identifier or a domain of the tenant; `organizations`, `consumers` or `common` for users of
    ///   several tenants. The issuer is known for an identifier only: the tokens of others name their user's tenant.
    public static func microsoft(tenant: String) -> AuthorizationServer {
        let base = "https://login.microsoftonline.com/\(tenant)"
        return AuthorizationServer(
            issuer: UUID(uuidString: tenant) == nil ? nil : "\(base.lowercased())/v2.0",
            authorizationEndpoint: URL(string: "\(base)/oauth2/v2.0/authorize"),
            tokenEndpoint: URL(string: "\(base)/oauth2/v2.0/token"),
            deviceAuthorizationEndpoint: URL(string: "\(base)/oauth2/v2.0/devicecode"),
            quirks: ServerQuirks(
                signOutAdvice: "remove the app at https://myapps.microsoft.com",
                claims: ["access_token": .object(["xms_cc": .object(["values": .array([.string("cp1")])])])]))
    }
}

// MARK: - Members of the metadata that have no property, checked when they are read

extension AuthorizationServer {
    /// The methods of client authentication that the server lists; `nil` if it lists none. Other methods may work too.
    package var listedAuthenticationMethods: [String]? { metadataTexts("token_endpoint_auth_methods_supported") }

    /// The methods of code challenges (RFC 7636, RFC 8414 §2); `nil` if the server lists none.
    package var listedChallengeMethods: [String]? {
        // A server that writes one text in place of a list has one method.
        metadataTexts("code_challenge_methods_supported")
            ?? metadataText("code_challenge_methods_supported").map { [$0] }
    }

    /// Throws if the server says that it does not check the challenges of this library.
    func checkChallengeMethod(_ method: String) throws {
        guard quirks.requiresListedPKCE, let listed = listedChallengeMethods, !listed.contains(method) else { return }
        throw AuthorizationServerError(.noPKCE, member: "code_challenge_methods_supported")
    }

    /// A text of ``additionalMetadata``; `nil` if the member is missing, empty, or not a text.
    package func metadataText(_ name: String) -> String? { additionalMetadata[name]?.text }

    /// A list of texts of ``additionalMetadata``; `nil` if the member is missing, or not a list of texts.
    public func metadataTexts(_ name: String) -> [String]? { additionalMetadata[name]?.texts }

    /// Whether a member of ``additionalMetadata`` is `true`.
    package func metadataFlag(_ name: String) -> Bool { additionalMetadata[name] == .bool(true) }

    /// The URL of an endpoint: `https`, or `http` on loopback if the issuer is on loopback too; without fragment.
    ///
    ///     let url = try server.metadataEndpoint("userinfo_endpoint")
    ///
    /// - Throws: ``AuthorizationServerError`` that names the member.
    public func metadataEndpoint(_ name: String) throws -> URL {
        guard let text = metadataText(name) else { throw AuthorizationServerError(.missingEndpoint, member: name) }
        guard let url = URL(string: text) else { throw AuthorizationServerError(.notAURL, member: name) }
        try Self.check(url, named: name)
        try Self.checkLoopback(url, named: name, issuer: issuer)
        return url
    }

    /// Throws if another machine's metadata name an endpoint on loopback, to which it could forge requests.
    static func checkLoopback(_ url: URL, named name: String, issuer: String?) throws {
        let isHere = issuer.flatMap { URL(string: $0) }.flatMap { Origin($0) }?.isLoopback == true
        if !isHere, let origin = Origin(url), origin.scheme == "http", origin.isLoopback {
            throw AuthorizationServerError(.insecure, member: name)
        }
    }
}

extension AuthorizationServer {
    /// The parameters of an authorization request that meet a challenge (RFC 9470 §4, OpenID Connect Core §5.5).
    func demands(of challenge: AuthenticationChallenge?) -> [String: String] {
        let claims = quirks.claims(with: challenge?.claims, isTaken: metadataFlag("claims_parameter_supported"))
        var demands = Dictionary(uniqueKeysWithValues: claims.map { ($0.name, $0.value) })
        guard let challenge else { return demands }
        if !challenge.acrValues.isEmpty { demands["acr_values"] = challenge.acrValues.joined(separator: " ") }
        if let age = challenge.maxAge { demands["max_age"] = "\(age.components.seconds)" }
        return demands
    }
}

extension URL {
    /// Whether the URL has the scheme `https`, or `http` on loopback. (The origin of a `wss` URL has `https` too.)
    var isSafe: Bool {
        guard let origin = Origin(self), ["https", "http"].contains(scheme?.lowercased()) else { return false }
        return origin.scheme == "https" || origin.isLoopback
    }
}
