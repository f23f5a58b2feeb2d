// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How a program introduces itself to servers that it does not know yet.
///
///     let app = ClientIdentity(name: "Notes", document: "https://app.example/client.json")
///
/// Of the ways that a server accepts the first of these counts: a client that was registered there by hand, the
/// document, a stored registration, a new registration (RFC 7591).
public struct ClientIdentity: Sendable, Hashable, RedactedDescription {
    package var name: String
    package var document: String?
    /// Clients that were registered by hand, by the issuer of their server. None is ever shown to another server.
    public var registered: [String: OAuthClient]
    package var softwareStatement: String?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - name: the name that servers show to users.
    ///   - document: the URL of the client id metadata document: `https`, with a path. It is the client's id where
    ///     servers support it.
    ///   - registered: clients that were registered by hand, by the issuer of their server.
    ///   - softwareStatement: a signed statement about the program, which is sent with registrations (RFC 7591 §2.3).
    public init(
        name: String, document: String? = nil, registered: [String: OAuthClient] = [:], softwareStatement: String? = nil
    ) {
        (self.name, self.document) = (name, document)
        (self.registered, self.softwareStatement) = (registered, softwareStatement)
    }
}

/// A client of one server, and what is known about its registration.
public struct ClientRegistration: Codable, Sendable, Hashable, RedactedDescription {
    /// The client, with its secret if it has one.
    public let client: OAuthClient
    /// The issuer of the server that knows the client; `nil` for a document, which belongs to no server.
    package let issuer: String?
    /// The redirect URI that was registered, with its port: servers compare the whole text. `nil` for sign-ins on
    /// another device.
    package let redirectURI: String?
    /// When the secret expires; `nil` if it never does (RFC 7591 §3.2.1).
    public let secretExpiresAt: Date?
}

extension AuthorizationServer {
    /// Returns the client that a program has at this server. Registers it if there is no other way (RFC 7591).
    ///
    /// - Parameters:
    ///   - identity: how the program introduces itself.
    ///   - redirectURI: where the server sends users back to; `nil` for sign-ins on another device (RFC 8628).
    ///   - records: keep the registration, so that it happens once for all programs with these records.
    ///   - transport: sends the request.
    ///   - clock: the system's, or a `ManualClock` in tests.
    /// - Throws: ``ProtectedResourceError``, ``AuthorizationServerError`` for an unsafe endpoint, errors of the transport
    ///   and of the records.
    public func register(
        _ identity: ClientIdentity, redirectURI: String?, records: some ResourceRecords, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) async throws -> ClientRegistration {
        if let ready = try clientWithoutRegistration(identity) { return ready }
        let noWay = ProtectedResourceError(
            identity.registered.isEmpty ? .noClient : .otherServer, member: "registration_endpoint")
        guard let issuer else { throw noWay }
        return try await records.lock(named: "registration \(issuer)", within: .seconds(60)).whileHeld {
            let known = try await records.registrations(at: issuer).first {
                // Records in memory take two spellings of an accented letter for one name.
                Self.isSameIssuer($0.issuer ?? "", issuer) && $0.redirectURI == redirectURI
                    && $0.secretExpiresAt.map { $0 > clock.now } != false
            }
            if let known { return known }
            guard registrationEndpoint != nil else { throw noWay }
            let call = RegistrationCall(
                server: self, identity: identity, redirectURI: redirectURI, transport: transport, clock: clock)
            let registration = try await call.run()
            try await records.keep(registration, at: issuer)
            return registration
        }
    }

    /// A client that needs no request: registered by hand for this issuer, or by its document.
    func clientWithoutRegistration(_ identity: ClientIdentity) throws -> ClientRegistration? {
        if let issuer, let own = identity.registered.first(where: { Self.isSameIssuer(issuer, $0.key) }) {
            return ClientRegistration(client: own.value, issuer: issuer, redirectURI: nil, secretExpiresAt: nil)
        }
        guard let document = identity.document, metadataFlag("client_id_metadata_document_supported") else {
            return nil
        }
        guard let url = URL(string: document), url.scheme == "https", url.user == nil, url.fragment() == nil,
            url.host() != nil, !["", "/"].contains(url.path(percentEncoded: true)),
            DotSegments.removed(fromURL: document) == document
        else { throw ProtectedResourceError(.invalidDocument, member: "client_id") }
        return ClientRegistration(client: .public(id: document), issuer: nil, redirectURI: nil, secretExpiresAt: nil)
    }
}

/// One registration (RFC 7591 §3).
private struct RegistrationCall: Sendable {
    let server: AuthorizationServer
    let identity: ClientIdentity
    let redirectURI: String?
    let transport: any TokenTransport
    let clock: any AuthorizationClock

    func run() async throws -> ClientRegistration {
        let endpoint = try server.metadataEndpoint("registration_endpoint")
        // Some servers know only one kind of application, or know the kinds by other redirect URIs.
        let isNative = redirectURI?.hasPrefix("https:") != true
        do {
            return try await register(at: endpoint, as: isNative ? "native" : "web")
        } catch let error as ProtectedResourceError
            where ["invalid_redirect_uri", "invalid_client_metadata"].contains(error.code)
        {
            return try await register(at: endpoint, as: isNative ? "web" : "native")
        }
    }

    private func register(at endpoint: URL, as type: String) async throws -> ClientRegistration {
        let grantType = redirectURI == nil ? "urn:ietf:params:oauth:grant-type:device_code" : "authorization_code"
        let method = try method()
        var members: [String: JSONValue] = [
            "client_name": .string(identity.name), "application_type": .string(type),
            "grant_types": .array([.string(grantType), .string("refresh_token")]),
            "response_types": .array(redirectURI == nil ? [] : [.string("code")]),
            "token_endpoint_auth_method": .string(method),
        ]
        members["redirect_uris"] = redirectURI.map { .array([.string($0)]) }
        members["software_statement"] = identity.softwareStatement.map { .string($0) }
        let request = TokenRequest(
            url: endpoint, fields: ["Content-Type", "Accept"].map { (name: $0, value: "application/json") },
            body: Array(try JSONEncoder().encode(members)), maximumResponseLength: 64 << 10)
        return try registration(in: try await transport.send(request), requested: method)
    }

    /// The first method of the server that needs no key. Basic is last: some servers that list it refuse it.
    private func method() throws(ProtectedResourceError) -> String {
        guard let listed = server.listedAuthenticationMethods, !listed.isEmpty else { return "none" }
        guard let own = ["none", "client_secret_post", "client_secret_basic"].first(where: listed.contains) else {
            throw ProtectedResourceError(
                .noClient, member: "token_endpoint_auth_methods_supported",
                detail: "a registered client could not use any")
        }
        return own
    }

    /// The values of the answer count, not those of the request (RFC 7591 §3.2.1).
    private func registration(in response: TokenResponse, requested method: String) throws -> ClientRegistration {
        try ProtectedResourceError.checkAvailability(response, "registration_endpoint", at: clock.now)
        guard [200, 201].contains(response.statusCode) else {
            throw ProtectedResourceError(
                .registrationRefused, member: "registration_endpoint",
                detail: "the server answered \(response.statusCode)",
                code: (try? AnswerObject(response))?.errorCode(at: "error"))
        }
        let answer = try AnswerObject(response)
        guard answer.isWhole, let id = answer.text("client_id") else {
            throw ProtectedResourceError(
                .unusable, member: "client_id", detail: "the registration must name the client")
        }
        let secret = answer.text("client_secret")
        let implied = secret == nil ? "none" : method == "none" ? "client_secret_basic" : method
        let authentication: ClientAuthentication? =
            switch (answer.text("token_endpoint_auth_method") ?? implied, secret) {
            case ("none", _): ClientAuthentication.none
            case ("client_secret_post", let secret?): .secretPost(secret)
            case ("client_secret_basic", let secret?): .secretBasic(secret)
            default: nil
            }
        guard let authentication else {
            throw ProtectedResourceError(
                .unusable, member: "token_endpoint_auth_method",
                detail: "the registration has no secret for it, or it is unknown")
        }
        // Zero is never.
        let isLimited = secret != nil && answer.seconds("client_secret_expires_at") != nil
        return ClientRegistration(
            client: OAuthClient(id: id, authentication: authentication), issuer: server.issuer,
            redirectURI: redirectURI, secretExpiresAt: isLimited ? answer.date("client_secret_expires_at") : nil)
    }
}
