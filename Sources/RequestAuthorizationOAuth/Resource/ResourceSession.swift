// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What is kept of a sign-in, so that a later start needs no discovery.
struct ResourceRecord: Codable, Sendable {
    /// Tells this sign-in from others.
    var signIn = UUID()
    var resource: ProtectedResource
    var registration: ClientRegistration
    var redirectURI: String?
    /// All scopes that were requested.
    var requested: Set<String>

    /// The name of the token's store: one for each resource, server and client.
    func tokens(of url: String) -> String { "\(url) \(resource.server.issuer ?? "") \(registration.client.id)" }
}

/// The process that asks its user, in the records from then on.
struct ResourceAsker: Codable, Sendable {
    var process = ProcessInfo.processInfo.processIdentifier
    var since: Date
    var deniedAt: Date?
}

/// A sign-in that is under way, here or in another process.
public struct SignInUnderWay: Sendable, Hashable {
    /// The process that asks its user.
    public let process: Int32
    /// When it began to ask.
    public let since: Date
}

/// The session of a resource as it is stored, without its secrets.
public struct ResourceSessionSummary: Sendable, Hashable {
    /// The resource's own name, which may be a parent of the URL.
    public let resource: String
    /// The server that issued the token.
    public let issuer: String?
    /// The client that the token was issued to.
    public let clientID: String
    public let scopes: Set<String>
    /// When the access token expires; `nil` if the server did not say.
    public let expiresAt: Date?
    /// Whether the session goes on when the token has expired.
    public let isRefreshable: Bool
    /// Whether the token is bound to a key (RFC 9449).
    public let isBound: Bool

    init(_ record: ResourceRecord, _ token: OAuthToken) {
        (resource, issuer) = (record.resource.identifier, record.resource.server.issuer)
        (clientID, scopes) = (record.registration.client.id, token.scopes)
        expiresAt = token.expiresAt == .distantFuture ? nil : token.expiresAt
        (isRefreshable, isBound) = (token.refreshToken != nil, token.isBound)
    }
}

extension ResourceSettings {
    /// The record of the last sign-in, and its token if the session has not ended.
    func stored() async throws -> ResourceSessionSummary? {
        guard let record: ResourceRecord = try await records.value(named: "resource \(url)"),
            let token = try await records.tokens(named: record.tokens(of: url)).load()?.token
        else { return nil }
        return ResourceSessionSummary(record, token)
    }

    /// The process that holds the lock of sign-ins is signing in.
    func signInUnderWay() async throws -> SignInUnderWay? {
        do {
            // Files need a moment to be opened.
            try await records.lock(named: "sign-in \(url)", within: .milliseconds(100)).unlock()
            return nil
        } catch let error as TokenStoreError where error.kind == .timedOut {
            let asker: ResourceAsker? = try await records.value(named: "sign-in \(url)")
            return asker.map { SignInUnderWay(process: $0.process, since: $0.since) }
        }
    }
}

/// One session: a sign-in at one server, or a service that needs no person.
final class ResourceSession: Sendable {
    let number: Int
    /// Rises with each sign-out, and with each sign-in that the program asks for: another person may be there then.
    let line: Int
    /// `nil` if no person has signed in.
    let record: ResourceRecord?
    let service: ResourceTokenService
    let provider: RefreshableTokenAuthorization<OAuthToken>

    init(
        number: Int, line: Int, record: ResourceRecord?, service: ResourceTokenService,
        provider: RefreshableTokenAuthorization<OAuthToken>
    ) {
        (self.number, self.line, self.record) = (number, line, record)
        (self.service, self.provider) = (service, provider)
    }
}

/// The token service of a session. It refreshes only while the resource lists the session's server.
final class ResourceTokenService: RefreshableTokenService, RedactedDescription {
    private let service: Lock<OAuthTokenService>
    private let number = Lock(0)
    private let mayRefresh: @Sendable (Int) -> Bool
    private let moved: @Sendable (AuthorizationServer) async throws -> AuthorizationServer?
    private let clientDied: @Sendable (OAuthTokenService) async -> Void

    /// - Parameters:
    ///   - mayRefresh: whether the session of a number may refresh.
    ///   - moved: reads the metadata of a server again, and returns them if its token endpoint is another one.
    ///   - clientDied: called when the server no longer knows the client.
    init(
        _ service: OAuthTokenService, mayRefresh: @escaping @Sendable (Int) -> Bool,
        moved: @escaping @Sendable (AuthorizationServer) async throws -> AuthorizationServer?,
        clientDied: @escaping @Sendable (OAuthTokenService) async -> Void
    ) {
        (self.service, self.mayRefresh) = (Lock(service), mayRefresh)
        (self.moved, self.clientDied) = (moved, clientDied)
    }

    private var present: OAuthTokenService { service.withLock { $0 } }

    /// Goes on with another sign-in of the same client.
    func serve(_ number: Int, by service: OAuthTokenService? = nil) {
        self.number.withLock { $0 = number }
        if let service { self.service.withLock { $0 = service } }
    }

    func refresh(_ token: OAuthToken) async throws -> OAuthToken { try await refreshed { try await $0.refresh(token) } }

    func refresh(_ token: OAuthToken, after challenge: AuthenticationChallenge) async throws -> OAuthToken {
        try await refreshed { try await $0.refresh(token, after: challenge) }
    }

    private func refreshed(
        by refresh: (OAuthTokenService) async throws -> OAuthToken
    ) async throws -> OAuthToken {
        guard mayRefresh(number.withLock { $0 }) else {
            throw ProtectedResourceError(
                .otherServer, member: "authorization_servers",
                detail: "the former server's token is not refreshed any more")
        }
        do {
            return try await refresh(present)
        } catch let error as TokenEndpointError where error.code == nil && [404, 405, 410].contains(error.status) {
            let endpoint = present.endpoint
            guard let server = try? await moved(endpoint.server) else { throw error }
            let service = present.at(server)
            self.service.withLock { $0 = service }
            return try await refresh(service)
        } catch let error as TokenEndpointError where error.code == "invalid_client" {
            await clientDied(present)
            throw error
        }
    }

    func initialToken() async throws -> OAuthToken { try await present.initialToken() }
    func discard(_ token: OAuthToken) async { await present.discard(token) }
    func revoke(_ token: OAuthToken) async throws { try await present.revoke(token) }
    var serverOrigin: Origin? { present.serverOrigin }
    var proofFields: Set<String> { present.proofFields }
    func proof(for token: OAuthToken) throws -> (any RequestProof)? { try present.proof(for: token) }
}

extension OAuthTokenService {
    /// The same service at another endpoint of its server.
    fileprivate func at(_ server: AuthorizationServer) -> OAuthTokenService {
        OAuthTokenService(
            endpoint: TokenEndpoint(
                server: server, client: endpoint.client, authentication: endpoint.authentication,
                transport: endpoint.transport, clock: endpoint.clock, proof: endpoint.proof),
            redirectURI: redirectURI, pendingSignIns: pendingSignIns, pushesRequests: pushesRequests, initial: initial)
    }
}
