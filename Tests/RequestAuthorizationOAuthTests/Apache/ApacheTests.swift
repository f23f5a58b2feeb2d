// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tokens of one third-party server, used at another one.
@Suite(
    .enabled(if: ApacheResourceServer.isThere, ApacheResourceServer.how), .glewlwyd(), .apache, .serialized,
    .timeLimit(.minutes(5)))
struct ApacheTests {
    private let apache: ApacheResourceServer

    init() throws { apache = try #require(ApacheResourceServer.current) }

    private func machine() async throws -> OAuthTokenService {
        let bench = try await GlewlwydBench()
        return .clientCredentials(
            server: bench.metadata, client: .secretBasic(id: "m2m", secret: "m2msecret"), scopes: ["read"],
            transport: bench.transport, clock: bench.clock)
    }

    private func get(_ path: String, as auth: some AuthorizationProvider) async throws -> (Int?, String) {
        let request = URLRequest(url: apache.url(path))
        let (data, response) = try await URLSession.patient.data(for: request, authorizedBy: auth)
        return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
    }

    @Test func `a resource server takes the token of a client by its signature`() async throws {
        let auth = RefreshableTokenAuthorization(service: try await machine(), clock: ManualClock(now: .now))
        #expect(try await get("/bearer/", as: auth) == (200, "{\"ok\":true}\n"))
    }

    @Test func `a resource server takes the token of a user by introspection`() async throws {
        let bench = try await GlewlwydBench()
        let token = try await bench.signIn(bench.service(GlewlwydBench.web)).accessToken
        #expect(try await get("/opaque/", as: .bearer(token)) == (200, "{\"ok\":true}\n"))
        #expect(try await get("/opaque/", as: .bearer(tampered(token))).0 == 401)
    }

    @Test func `a token that was tampered with is refused`() async throws {
        let token = try await machine().initialToken().accessToken
        #expect(try await get("/bearer/", as: .bearer(token)).0 == 200)
        #expect(try await get("/bearer/", as: .bearer(tampered(token))).0 == 401)
    }

    @Test func `a session whose token was refused gets a new one, and the request is answered`() async throws {
        let service = try await machine()
        var token = try await service.initialToken()
        token.accessToken = tampered(token.accessToken)
        let auth = RefreshableTokenAuthorization(service: service, token: token, clock: ManualClock(now: .now))
        #expect(try await get("/bearer/", as: auth).0 == 200)
        #expect(try await auth.validToken() != token)
    }

    /// Changes the first character of the signature.
    private func tampered(_ token: String) -> String {
        var parts = token.components(separatedBy: ".")
        let signature = parts.removeLast()
        parts.append((signature.hasPrefix("A") ? "B" : "A") + signature.dropFirst())
        return parts.joined(separator: ".")
    }
}
#endif
