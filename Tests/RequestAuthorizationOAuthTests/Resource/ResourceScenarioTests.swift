// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LocalScenarios
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationOAuth

/// The scenarios of the official client suite of the Model Context Protocol, each at both versions of the protocol.
@Suite(.timeLimit(.minutes(10))) struct ResourceScenarioTests {
    @Test(arguments: Scenario.all, WireVersion.allCases)
    func `the provider does what the scenario asks for`(scenario: Scenario, version: WireVersion) async throws {
        for variant in scenario.variants {
            let clock = ManualClock(now: .now)
            let verdict = try await scenario.run(at: version, as: variant, redirectURI: PageOpener().redirectURI) {
                run in
                let provider = try await provider(for: run.context, clock)
                try await run.performCalls(healing: { clock.advance(by: .seconds(61)) }) { request in
                    try await URLSession.patient.data(for: request, authorizedBy: provider)
                }
            }
            #expect(verdict.passed, "\(variant): \(verdict)")
        }
    }

    private func provider(
        for context: ScenarioContext, _ clock: ManualClock
    ) async throws -> ProtectedResourceAuthorization {
        if let provider = service(for: context, clock) { return provider }
        let url = context.serverURL
        var identity = ClientIdentity(name: "Scenario", document: context.clientMetadataURL)
        if let id = context.clientID, let secret = context.clientSecret {
            // Whoever registers a client by hand knows its issuer.
            let found = try await ProtectedResource.discover(url, transport: .patient, clock: clock)
            identity.registered[found.server.issuer ?? ""] = .secretBasic(id: id, secret: secret)
        }
        let records = InMemoryResourceRecords()
        if let session = context.session { try await keep(session, of: url, in: records, clock) }
        return ProtectedResourceAuthorization(
            url, client: identity, records: records,
            known: context.name.hasSuffix("endpoint-fallback") ? try known(url) : nil,
            proof: context.name.contains("dpop") ? .dpop : nil, transport: .patient, clock: clock,
            signIn: .through(PageOpener()) { _ in true })
    }

    /// The scenarios without a person.
    private func service(for context: ScenarioContext, _ clock: ManualClock) -> ProtectedResourceAuthorization? {
        let name = context.name.split(separator: "/").last.map(String.init) ?? ""
        let make: @Sendable (ProtectedResource) async throws -> OAuthTokenService
        let id = context.clientID ?? ""
        switch name {
        case "client-credentials-basic":
            make = { found in
                .clientCredentials(
                    server: found.server,
                    client: found.client(.secretBasic(id: id, secret: context.clientSecret ?? "")),
                    scopes: found.scopes, transport: .patient, clock: clock)
            }
        case "client-credentials-jwt":
            make = { found in
                .clientCredentials(
                    server: found.server, client: found.client(.public(id: id)),
                    authentication: .privateKeyJWT(try .pem(context.privateKeyPEM ?? "", algorithm: .es256)),
                    scopes: found.scopes, transport: .patient, clock: clock)
            }
        case "wif-jwt-bearer":
            make = { found in
                .jwtBearer(
                    server: found.server, client: found.client(.public(id: id)),
                    assertion: .token(context.validJWT ?? ""),
                    scopes: found.scopes, transport: .patient, clock: clock)
            }
        case "enterprise-managed-authorization":
            make = { found in
                let provider = TokenEndpoint(
                    server: AuthorizationServer(
                        issuer: context.idpIssuer, tokenEndpoint: context.idpTokenEndpoint.flatMap { URL(string: $0) }),
                    client: .public(id: context.idpClientID ?? ""), transport: .patient, clock: clock)
                return .identityAssertion(
                    from: provider, server: found.server,
                    client: found.client(.secretBasic(id: id, secret: context.clientSecret ?? "")),
                    scopes: found.scopes, transport: .patient, clock: clock
                ) { .idToken(context.idpIDToken ?? "") }
            }
        default: return nil
        }
        return ProtectedResourceAuthorization(context.serverURL, transport: .patient, clock: clock, service: make)
    }

    /// The endpoints that clients of 2025-03-26 guessed.
    private func known(_ url: String) throws -> ProtectedResource {
        let origin = try #require(try Origin(URL.make(url))).description
        var server = AuthorizationServer.make(at: origin)
        server.revocationEndpoint = nil
        server.registrationEndpoint = URL(string: "\(origin)/register")
        return ProtectedResource(identifier: url, server: server)
    }

    /// Keeps a session as an earlier start of the program did.
    private func keep(
        _ session: EarlierSession, of url: String, in records: InMemoryResourceRecords, _ clock: ManualClock
    ) async throws {
        var server = AuthorizationServer(
            issuer: session.issuer, authorizationEndpoint: URL(string: session.authorizationEndpoint),
            tokenEndpoint: URL(string: session.tokenEndpoint), announcesIssuer: session.announcesIssuerParameter)
        server.registrationEndpoint = URL(string: session.registrationEndpoint)
        let registration = ClientRegistration(
            client: .public(id: session.clientID), issuer: session.issuer, redirectURI: session.redirectURI,
            secretExpiresAt: nil)
        let record = ResourceRecord(
            resource: ProtectedResource(identifier: session.resource, server: server), registration: registration,
            requested: Set(session.scopes))
        let token = OAuthToken(
            accessToken: session.accessToken, refreshToken: session.refreshToken, scopes: Set(session.scopes),
            lifetime: .seconds(session.expiresIn),
            expiresAt: clock.now.addingTimeInterval(TimeInterval(session.expiresIn)))
        try await records.tokens(named: record.tokens(of: url)).save(
            StoredToken(
                .token(token), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: clock.now))
        try await records.keep(registration, at: session.issuer)
        try await records.save(value: record, named: "resource \(url)")
    }
}
#endif
