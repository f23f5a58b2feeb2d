// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import TestServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A resource of others that guards itself and introduces itself.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct FastMCPTests {
    @Test func `from a URL to an answer with one page; then a refresh after a 401, and a revocation`() async throws {
        let server = try await FastMCP()
        defer { server.end() }
        let asked = Asked()
        let auth = provider(of: server, InMemoryResourceRecords(), asked.signIn())
        #expect(try await listTools(of: server, auth) == 200)
        #expect(try await auth.validToken().scopes == ["read"])
        try await server.expireTokens()
        #expect(try await listTools(of: server, auth) == 200)
        try await auth.signOut()
        let counts = FastMCP.Counts(registrations: 1, authorizations: 1, codes: 1, refreshes: 1, revocations: 1)
        #expect(try await server.counts() == counts)
        #expect(asked.reasons.count == 1)
    }

    @Test func `another port is another registration, and the same port is not`() async throws {
        let server = try await FastMCP()
        defer { server.end() }
        let records = InMemoryResourceRecords()
        for port in [8401, 8401, 8402] {
            let opener = PageOpener(redirectURI: "http://127.0.0.1:\(port)/callback")
            let auth = provider(of: server, records, Asked().signIn(opener))
            try await auth.signIn()
            #expect(try await listTools(of: server, auth) == 200)
        }
        #expect(try await server.counts() == FastMCP.Counts(registrations: 2, authorizations: 3, codes: 3))
    }

    private func provider(
        of server: FastMCP, _ records: InMemoryResourceRecords, _ signIn: ResourceSignIn
    ) -> ProtectedResourceAuthorization {
        ProtectedResourceAuthorization(
            server.resource, client: ClientIdentity(name: "Tool"), records: records, transport: .patient,
            clock: ManualClock(now: .now), signIn: signIn)
    }

    /// - Returns: the status.
    private func listTools(of server: FastMCP, _ auth: ProtectedResourceAuthorization) async throws -> Int? {
        var request = URLRequest(url: try .make(server.resource))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        let (_, response) = try await URLSession.patient.data(for: request, authorizedBy: auth)
        return (response as? HTTPURLResponse)?.statusCode
    }
}
#endif
