// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

/// A program that introduces itself to a third-party server (RFC 7591).
@Suite(.enabled(if: Glewlwyd.isThere, Glewlwyd.how), .glewlwyd(), .serialized, .timeLimit(.minutes(5)))
struct GlewlwydRegistrationTests {
    @Test func `a program registers itself once, signs in and refreshes as the client that it got`() async throws {
        let bench = try await GlewlwydBench()
        let records = InMemoryResourceRecords()
        let client = try await register(at: bench, records).client
        // The server lists two methods, and answers with 200 instead of 201.
        guard case .secretPost = client.authentication else { throw Command.Failure(text: "\(client)") }
        #expect(try await register(at: bench, records).client.id == client.id)

        let service = bench.service(client)
        let person = try await GlewlwydPerson(at: bench.server, allowing: [client.id])
        let pending = try await service.signIn(scopes: ["read"])
        let token = try await service.finish(callback: try await person.open(pending.url))
        #expect(token.scopes == ["read"])
        let next = try await service.refresh(token)
        #expect(next.refreshToken != token.refreshToken)
        try await service.revoke(next)
    }

    @Test func `the port belongs to the registration`() async throws {
        let bench = try await GlewlwydBench()
        let client = try await register(at: bench, InMemoryResourceRecords()).client
        let person = try await GlewlwydPerson(at: bench.server, allowing: [client.id])
        let page = try await bench.service(client).signIn(scopes: ["read"]).url.absoluteString
        let other = try URL.make(page.replacing("8400", with: "8401"))
        await #expect(throws: Command.Failure.self) { try await person.open(other) }
        _ = try await person.open(try .make(page))
    }

    private func register(
        at bench: GlewlwydBench, _ records: InMemoryResourceRecords
    ) async throws -> ClientRegistration {
        try await bench.metadata.register(
            ClientIdentity(name: "A new program"), redirectURI: GlewlwydBench.redirectURI, records: records,
            transport: bench.transport)
    }
}
#endif
