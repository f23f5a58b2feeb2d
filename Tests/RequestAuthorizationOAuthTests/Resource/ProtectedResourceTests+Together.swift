// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Many tasks with one provider.
extension ProtectedResourceTests {
    @Test func `1 000 refused tasks cause one discovery and one page`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            let refusal = TestResponse(401, ["WWW-Authenticate": "Bearer"])
            try await withThrowingTaskGroup { group in
                for _ in 0..<1000 {
                    group.addTask {
                        let response = try await notes.send(TestRequest("\(server.base)/mcp")) { request in
                            request.credential(in: "Authorization") == nil
                                ? refusal : TestResponse(200)
                        }
                        #expect(response.statusCode == 200)
                    }
                }
                try await group.waitForAll()
            }
            let targets = await server.requests.map { $0.target.prefix { $0 != "?" } }
            #expect(
                targets == [
                    "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server/as",
                    "/as/register", "/as/authorize", "/as/token",
                ])
            #expect(asked.reasons.count == 1)
        }
    }

    @Test func `who waits may leave at once, and the sign-in goes on`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let notes = ProtectedResourceAuthorization.make(server, guarded, tells: ask, waitsFor: answers)
            let first = Task { try await notes.get(server) }
            for await _ in asked {}
            first.cancel()
            await #expect(throws: CancellationError.self) { _ = try await first.value }
            #expect(guarded.now.pages.isEmpty)
            async let second = notes.get(server)
            answer.finish()
            #expect(try await second == "200 ok")
            #expect(guarded.now.pages.count == 1)
        }
    }

    @Test func `a sign-in that is asked for during another one gets its scopes after it`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let notes = ProtectedResourceAuthorization.make(server, guarded, tells: ask, waitsFor: answers)
            async let first: Void = notes.signIn(scopes: ["a"])
            for await _ in asked {}
            async let second: Void = notes.signIn(scopes: ["b"])
            answer.finish()
            try await first
            try await second
            #expect(guarded.now.pages.map { $0["scope"] } == ["a", "b"])
        }
    }

    @Test func `a second demand during a sign-in is not lost`() async throws {
        try await GuardedServer.run {
            $0.required = ["GET": ["read"]]
        } body: { (guarded, server) async throws in
            guarded.change { $0.challenge += #", scope="basic""# }
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            async let one = notes.get(server)
            async let two = notes.get(server)
            #expect(try await [one, two] == ["200 ok", "200 ok"])
            #expect(guarded.now.pages.map { $0["scope"] } == ["basic", "basic read"])
        }
    }
}
#endif
