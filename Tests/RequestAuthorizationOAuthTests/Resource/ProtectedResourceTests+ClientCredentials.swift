// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Programs that act for themselves.
extension ProtectedResourceTests {
    @Test func `a program that acts for itself names the issuer that may see its secret`() async throws {
        try await GuardedServer.run {
            $0.resourceMembers = #","scopes_supported":["s"]"#
        } body: { (guarded, server) async throws in
            func provider(_ issuer: String) -> ProtectedResourceAuthorization {
                ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                    found in
                    .clientCredentials(
                        server: try found.server(of: issuer),
                        client: found.client(.secretPost(id: "b", secret: "s3cret")),
                        scopes: found.scopes, transport: .patient, clock: guarded.clock)
                }
            }
            let error = await #expect(throws: ProtectedResourceError.self) {
                _ = try await provider("https://bank.example").get(server)
            }
            #expect(error?.problem == .otherServer && guarded.now.forms.isEmpty)
            let own = provider("\(server.base)/as")
            #expect(try await own.get(server, "POST") == "200 ok")
            #expect(guarded.now.forms.first?.form["scope"] == "s")
            #expect(guarded.now.forms.first?.form["resource"] == "\(server.base)/mcp")
            guarded.change { $0.refused = ["t1"] }
            #expect(try await own.get(server) == "200 ok")
            #expect(guarded.now.pages.isEmpty)
        }
    }

    @Test func `a program that acts for itself tries again after a minute`() async throws {
        try await GuardedServer.run {
            $0.answers["/.well-known/oauth-protected-resource/mcp"] = { _ in .status(503) }
        } body: { (guarded, server) async throws in
            let own = ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                found in
                .clientCredentials(
                    server: found.server, client: found.client(.secretPost(id: "b", secret: "s")),
                    transport: .patient, clock: guarded.clock)
            }
            for _ in 0..<3 {
                let error = await #expect(throws: ProtectedResourceError.self) { _ = try await own.get(server) }
                #expect(error?.problem == .unavailable)
            }
            guarded.change { $0.answers = [:] }
            #expect(try await own.get(server).hasPrefix("401"))
            guarded.clock.advance(by: .seconds(61))
            #expect(try await own.get(server) == "200 ok")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a service that is still being made after a sign-out keeps no sign-in waiting`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (begins, begun) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let isFirst = Lock(true)
            let own = ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                found in
                let isLong = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if isLong {
                    begun.finish()
                    // It pays no attention to cancellation.
                    await Task.detached { for await _ in ends {} }.value
                }
                return .clientCredentials(
                    server: found.server, client: found.client(.secretPost(id: "b", secret: "s")),
                    transport: .patient, clock: guarded.clock)
            }
            let first = Task { try await own.signIn() }
            for await _ in begins {}
            await own.reset()
            let error = await #expect(throws: NotAuthorized.self) { try await first.value }
            #expect(error?.reason == .signedOut)
            try await own.signIn()
            end.finish()
            #expect(try await own.get(server) == "200 ok")
            #expect(guarded.now.forms.count == 1)
        }
    }

    @Test func `a token endpoint that has moved is called as the program has described its server`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let own = ProtectedResourceAuthorization("\(server.base)/mcp", transport: .patient, clock: guarded.clock) {
                found in
                var server = found.server
                server.quirks.sendsClientIDBesideBasic = true
                return .clientCredentials(
                    server: server, client: found.client(.secretBasic(id: "b", secret: "s")), transport: .patient,
                    clock: guarded.clock)
            }
            #expect(try await own.get(server) == "200 ok")
            guarded.moveTokenEndpoint()
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await own.get(server) == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
            #expect(guarded.now.forms.map { $0.form["client_id"] } == ["b", "b"])
        }
    }
}
#endif
