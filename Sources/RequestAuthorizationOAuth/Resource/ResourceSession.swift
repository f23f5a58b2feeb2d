// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a provider was made with.
struct ResourceSettings: Sendable {
    let url: String
    var identity = ClientIdentity(name: "")
    var records: any ResourceRecords = .inMemory
    let policy: RefreshPolicy
    let known: ProtectedResource?
    var proof: ProofOfPossession?
    var requiresListedPKCE = false
    var namesResource = true
    let transport: any TokenTransport
    let clock: any AuthorizationClock
    let allows: @Sendable (URL) -> Bool
    /// The nonces of the resource and of its servers, for all sessions.
    let nonces = ProofNonces()
    var signIn = ResourceSignIn.never
    /// Makes a service that needs no person, in place of a sign-in.
    var service: (@Sendable (ProtectedResource) async throws -> OAuthTokenService)?

    var signsInAlone: Bool { service != nil }

    func discovery() throws -> ResourceDiscovery {
        try ResourceDiscovery(of: url, over: transport, clock: clock, allows: allows)
    }

    /// The service of a person's sign-in. What the program names counts more than the record.
    func service(for record: ResourceRecord) -> OAuthTokenService {
        let resource = known ?? record.resource
        var client = record.registration.client
        // If it was registered by hand, its secret may have been replaced since.
        let own = try? resource.server.clientWithoutRegistration(identity)?.client
        if let own, own.id == client.id { client = own }
        if namesResource { client = resource.client(client) }
        var service = OAuthTokenService.authorizationCode(
            server: resource.server, client: client, proof: proof, pendingSignIns: InMemoryPendingSignIns(),
            transport: transport, clock: clock)
        service.endpoint.nonces = nonces
        return service
    }
}

/// One session: a sign-in at one server, or a service that needs no person.
final class ResourceSession: Sendable {
    let number: Int
    /// `nil` if no person has signed in.
    let record: ResourceRecord?
    let provider: RefreshableTokenAuthorization<OAuthToken>
    /// The hashed header value of the token before, if a request needed this sign-in: its line goes on.
    let former: Int?

    init(number: Int, record: ResourceRecord?, provider: RefreshableTokenAuthorization<OAuthToken>, former: Int?) {
        (self.number, self.record, self.provider, self.former) = (number, record, provider, former)
    }

    /// The sign-in that began the sessions of one person: a request that was sent in one of them goes on in these only.
    var line: UUID? { record?.line ?? record?.signIn }
    /// Whether the provider has found the token of a sibling's later sign-in by itself. The records tell whose it is.
    var isReplaced: Bool {
        guard let session = record?.session, let held = provider.heldSession else { return false }
        return held != session
    }
    var service: ResourceTokenService? { provider.bareService as? ResourceTokenService }
}

/// The token service of a session. It refreshes only while the resource lists the session's server.
final class ResourceTokenService: OAuthServiceAround, RedactedDescription {
    private let settings: ResourceSettings
    private let service: Lock<OAuthTokenService>
    /// `nil` when the program has released them.
    private let sessions: @Sendable () -> ResourceSessions?

    init(
        _ service: OAuthTokenService, _ settings: ResourceSettings,
        of sessions: @escaping @Sendable () -> ResourceSessions?
    ) {
        (self.service, self.settings, self.sessions) = (Lock(service), settings, sessions)
    }

    var oauth: OAuthTokenService { service.withLock { $0 } }

    /// Goes on with another sign-in of the same client.
    func goOn(with service: OAuthTokenService) { self.service.withLock { $0 = service } }

    func refresh(_ token: OAuthToken) async throws -> OAuthToken { try await refreshed { try await $0.refresh(token) } }

    func refresh(_ token: OAuthToken, after challenge: AuthenticationChallenge) async throws -> OAuthToken {
        try await refreshed { try await $0.refresh(token, after: challenge) }
    }

    private func refreshed(by refresh: (OAuthTokenService) async throws -> OAuthToken) async throws -> OAuthToken {
        guard await sessions()?.mayRefresh(self) == true else {
            throw ProtectedResourceError(
                .otherServer, member: "authorization_servers",
                detail: "the former server's token is not refreshed any more")
        }
        do {
            return try await refresh(oauth)
        } catch let error as TokenEndpointError where error.code == nil && [404, 405, 410].contains(error.status) {
            guard let server = try? await moved(oauth.endpoint.server) else { throw error }
            var service = oauth
            service.endpoint.server = server
            goOn(with: service)
            return try await refresh(service)
        } catch let error as TokenEndpointError where error.code == "invalid_client" {
            let endpoint = oauth.endpoint
            await settings.records.forget(endpoint.client, at: endpoint.server.issuer ?? "")
            throw error
        }
    }

    /// Reads the metadata of a server again, and returns them if its token endpoint is another one.
    private func moved(_ server: AuthorizationServer) async throws -> AuthorizationServer? {
        guard let issuer = server.issuer, sessions()?.isKnown != true else { return nil }
        var found = try await settings.discovery().transport.server(of: issuer, requiresListedPKCE: false)
        // What the program has said of its server stands in no metadata.
        (found.quirks, found.formerIssuers) = (server.quirks, server.formerIssuers)
        return found.tokenEndpoint == server.tokenEndpoint ? nil : found
    }
}
