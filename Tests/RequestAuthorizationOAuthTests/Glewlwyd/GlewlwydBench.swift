// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which HTTP client carries the requests.
enum Carrier: CaseIterable, Codable {
    case urlSession, asyncHTTPClient

    var transport: any TokenTransport {
        PatientTransport(base: self == .urlSession ? URLSession.shared : HTTPClient.shared)
    }
}

/// The suite's server, discovered.
struct GlewlwydBench: Sendable {
    static let redirectURI = "http://127.0.0.1:8400/cb"

    let server: Glewlwyd
    /// It refuses a dead refresh token with an empty 400, and a wrong secret with an empty 403.
    let metadata: AuthorizationServer
    let transport: any TokenTransport
    let clock = ManualClock(now: .now)

    init(_ carrier: Carrier = .urlSession) async throws {
        server = try #require(Glewlwyd.current)
        transport = carrier.transport
        var metadata = try await AuthorizationServer.discover(issuer: server.issuer, transport: transport)
        metadata.quirks.sessionEndingStatuses = [400]
        self.metadata = metadata
    }

    /// - Parameter server: the metadata that the client has, by default all.
    func service(
        _ client: OAuthClient = .public(id: "native"), at server: AuthorizationServer? = nil,
        proof: ProofOfPossession? = nil, pushesRequests: Bool = false
    ) -> OAuthTokenService {
        .authorizationCode(
            server: server ?? metadata, client: client, proof: proof, redirectURI: Self.redirectURI,
            pendingSignIns: InMemoryPendingSignIns(), pushesRequests: pushesRequests, transport: transport,
            clock: clock)
    }

    /// Signs Alice in, from the authorization request to the token.
    func signIn(_ service: OAuthTokenService) async throws -> OAuthToken {
        let pending = try await service.signIn(scopes: ["read", "write"])
        let callback = try await GlewlwydPerson(at: server).open(pending.url)
        return try await service.finish(callback: callback)
    }

    static let web = OAuthClient.secretBasic(id: "web", secret: "websecret")

    /// Introspects a client's own token. The server reveals nothing about tokens of others, and nothing at all to
    /// public clients.
    func introspection(of token: OAuthToken, by client: OAuthClient = web) async throws -> TokenIntrospection {
        try await service(client).introspect(token)
    }
}
#endif
