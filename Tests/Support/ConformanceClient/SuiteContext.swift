// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the suite gives its client: in the environment, and as the last argument.
struct SuiteContext {
    /// The name without the name of the suite, for instance `dpop`.
    let scenario: String
    let version: String
    let url: URL
    private let given: Given

    private struct Given: Decodable {
        var clientId, clientSecret, privateKeyPem, validJwt, clientMetadataUrl: String?
        var idpClientId, idpIdToken, idpIssuer, idpTokenEndpoint: String?
    }

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        let name = environment["MCP_CONFORMANCE_SCENARIO"] ?? ""
        guard let last = CommandLine.arguments.dropFirst().last, let url = URL(string: last), !name.isEmpty else {
            throw MissingInput()
        }
        scenario = String(name.split(separator: "/").last ?? "")
        version = environment["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "2026-07-28"
        self.url = url
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        given = try decoder.decode(Given.self, from: Data((environment["MCP_CONFORMANCE_CONTEXT"] ?? "{}").utf8))
    }

    struct MissingInput: Error, CustomStringConvertible {
        var description: String { "MCP_CONFORMANCE_SCENARIO or the server's URL is missing; the suite passes both" }
    }

    /// The document that the official suite accepts as a client id. It is never fetched.
    private static let document = "https://conformance-test.local/client-metadata.json"

    /// The provider that the scenario is about.
    func provider() async throws -> ProtectedResourceAuthorization {
        let address = url.absoluteString
        if let service = service() {
            return ProtectedResourceAuthorization(
                address, transport: .patient, clock: PatientClock(), service: service)
        }
        var identity = ClientIdentity(
            name: "conformance-client",
            document: given.clientMetadataUrl ?? (scenario == "basic-cimd" ? Self.document : nil))
        if let id = given.clientId, let secret = given.clientSecret {
            // Whoever registers a client by hand knows its issuer.
            let found = try await ProtectedResource.discover(address, transport: .patient, clock: PatientClock())
            identity.registered[found.server.issuer ?? ""] = .secretBasic(id: id, secret: secret)
        }
        return ProtectedResourceAuthorization(
            address, client: identity, known: scenario.hasSuffix("endpoint-fallback") ? guessed() : nil,
            proof: scenario.hasPrefix("dpop") ? .dpop : nil, transport: .patient, clock: PatientClock(),
            signIn: .through(PageOpener()) { _ in true })
    }

    /// The grants of the scenarios without a person.
    private func service() -> (@Sendable (ProtectedResource) async throws -> OAuthTokenService)? {
        let (given, id) = (given, given.clientId ?? "")
        return switch scenario {
        case "client-credentials-basic":
            { found in
                .clientCredentials(
                    server: found.server,
                    client: found.client(.secretBasic(id: id, secret: given.clientSecret ?? "")), scopes: found.scopes,
                    transport: .patient)
            }
        case "client-credentials-jwt":
            { found in
                .clientCredentials(
                    server: found.server, client: found.client(.public(id: id)),
                    authentication: .privateKeyJWT(try .pem(given.privateKeyPem ?? "", algorithm: .es256)),
                    scopes: found.scopes, transport: .patient)
            }
        case "wif-jwt-bearer":
            { found in
                .jwtBearer(
                    server: found.server, client: found.client(.public(id: id)),
                    assertion: .token(given.validJwt ?? ""), scopes: found.scopes, transport: .patient)
            }
        case "enterprise-managed-authorization":
            { found in
                let provider = TokenEndpoint(
                    server: AuthorizationServer(
                        issuer: given.idpIssuer, tokenEndpoint: given.idpTokenEndpoint.flatMap { URL(string: $0) }),
                    client: .public(id: given.idpClientId ?? ""), transport: .patient)
                return .identityAssertion(
                    from: provider, server: found.server,
                    client: found.client(.secretBasic(id: id, secret: given.clientSecret ?? "")),
                    scopes: found.scopes, transport: .patient
                ) { .idToken(given.idpIdToken ?? "") }
            }
        default: nil
        }
    }

    /// The endpoints that clients of 2025-03-26 guessed.
    private func guessed() -> ProtectedResource {
        let origin = Origin(url)?.description ?? ""
        var server = AuthorizationServer(
            issuer: origin, authorizationEndpoint: URL(string: "\(origin)/authorize"),
            tokenEndpoint: URL(string: "\(origin)/token"))
        server.registrationEndpoint = URL(string: "\(origin)/register")
        return ProtectedResource(identifier: url.absoluteString, server: server)
    }
}

/// Opens the page itself and returns where it leads to, as a browser would. Nothing listens at the redirect URI.
private struct PageOpener: CallbackReceiver {
    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start("http://127.0.0.1:49152/callback")
        let answer = try await PatientTransport().send(TokenRequest(method: "GET", url: pending.url))
        guard let target = answer.headerValues(for: "Location").first.flatMap({ URL(string: $0) }) else {
            throw SignInError(.expired)
        }
        return target
    }
}
#endif
