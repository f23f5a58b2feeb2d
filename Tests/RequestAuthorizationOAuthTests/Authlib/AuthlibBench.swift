// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Alice, who is signed in to a client, and a hundred callers that need her token.
struct AuthlibBench: Sendable {
    static let web = OAuthClient.secretBasic(id: "web", secret: "websecret")

    let server: Authlib
    let service: OAuthTokenService
    let clock = ManualClock(now: .now)
    let store = InMemoryTokenStore<OAuthToken>()
    let auth: RefreshableTokenAuthorization<OAuthToken>
    private let before: Authlib.Calls

    /// Signs Alice in, and lets her token expire.
    init(
        _ client: OAuthClient = .public(id: "native"), authentication: (any ClientAuthenticator)? = nil
    ) async throws {
        server = try #require(Authlib.current)
        let base = server.base
        let metadata = AuthorizationServer(
            issuer: base, authorizationEndpoint: URL(string: "\(base)/authorize"),
            tokenEndpoint: URL(string: "\(base)/token"), revocationEndpoint: URL(string: "\(base)/revoke"))
        let service = OAuthTokenService.authorizationCode(
            server: metadata, client: client, authentication: authentication, redirectURI: "http://127.0.0.1:8400/cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: .patient, clock: clock)
        self.service = service
        auth = RefreshableTokenAuthorization(
            service: service, store: store, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        try await server.inject()
        try await auth.signIn {
            let pending = try await service.signIn(scopes: ["read"])
            let page = try await PatientTransport.patient.send(
                TokenRequest(method: "GET", url: pending.url, fields: []))
            let callback = try #require(page.headerValues(for: "Location").first)
            return try await service.finish(callback: .make(callback))
        }
        clock.advance(by: try #require(await auth.validToken().lifetime) + .seconds(1))
        before = try await server.calls()
    }

    /// The outcomes of a hundred concurrent callers of a provider, each outcome once.
    func outcomes(of provider: RefreshableTokenAuthorization<OAuthToken>? = nil) async -> [String] {
        let provider = provider ?? auth
        return await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        return "token \(try await provider.validToken().accessToken)"
                    } catch let error as NotAuthorized {
                        return "\(error.reason)"
                    } catch let error as RefreshFailed {
                        return "later: \((error.underlying as? TokenEndpointError)?.status ?? 0)"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await Array(group.reduce(into: Set<String>()) { $0.insert($1) })
        }
    }

    /// The requests to the token endpoint since Alice signed in.
    func calls() async throws -> Authlib.Calls { try await server.calls() - before }
}
#endif
