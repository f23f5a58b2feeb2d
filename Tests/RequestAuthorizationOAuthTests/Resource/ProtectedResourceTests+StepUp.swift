// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// More than the token allows is asked for: further scopes, a stronger log-in, claims.
extension ProtectedResourceTests {
    @Test func `RFC 6750 §3.1: further scopes are asked for with those that were granted`() async throws {
        try await GuardedServer.run { state in
            state.challenge += #", scope="basic""#
            state.required = ["POST": ["write"]]
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "POST") == "200 ok")
            #expect(guarded.now.pages.map { $0["scope"] } == ["basic", "basic write"])
            let last = try #require(asked.requests.withLock { $0 }.last)
            #expect(last.newScopes == ["write"] && last.scopes == ["basic", "write"] && last.reason == .scopes)
            #expect(guarded.now.registrations.count == 1)
            #expect(!guarded.now.forms.contains { $0.form["grant_type"] == "refresh_token" })
        }
    }

    @Test func `first contact and one step-up are possible for one request`() async throws {
        try await GuardedServer.run {
            $0.required = ["GET": ["read"]]
        } body: { (guarded, server) async throws in
            #expect(try await ProtectedResourceAuthorization.make(server, guarded).get(server) == "200 ok")
            #expect(guarded.now.pages.count == 2)
        }
    }

    @Test(arguments: [#"scope="x""#, "VARIES"])
    func `a server that refuses for ever, also with another demand each time, gets two sign-ins`(demand: String)
        async throws
    {
        try await GuardedServer.run { state in
            state.demand = { demand == "VARIES" ? "scope=\"x\($0)\"" : demand }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            for _ in 0..<5 { #expect(try await notes.get(server).hasPrefix("403")) }
            #expect(guarded.now.pages.count == 2)
        }
    }

    @Test func `RFC 9470 §4: a stronger log-in is asked for with what the resource names`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked)
            #expect(try await notes.get(server) == "200 ok")
            guarded.change {
                $0.demand = { _ in #"acr_values="gold silver", max_age="60""# }
                $0.demandError = ("insufficient_user_authentication", 401)
            }
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(
                guarded.now.pages.last?["acr_values"] == "gold silver" && guarded.now.pages.last?["max_age"] == "60")
            #expect(asked.reasons == ["first sign-in", "stronger log-in"])
            #expect(!guarded.now.forms.contains { $0.form["grant_type"] == "refresh_token" })
        }
    }

    @Test func `RFC 9470 §5: a log-in that cannot be stronger is told once, and the token stays`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            #expect(try await notes.get(server) == "200 ok")
            guarded.change {
                $0.demand = { _ in #"acr_values="gold""# }
                $0.demandError = ("insufficient_user_authentication", 401)
                $0.pageError = "unmet_authentication_requirements"
            }
            let error = await #expect(throws: SignInError.self) { _ = try await notes.get(server) }
            #expect(error?.kind == .refused && error?.code == "unmet_authentication_requirements")
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(guarded.now.pages.count == 2)
            guarded.change { $0.demand = nil }
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test func `claims that a resource demands are asked for, if the server takes them`() async throws {
        try await GuardedServer.run {
            $0.givesRefreshTokens = false
            $0.serverMembers += #","claims_parameter_supported":true"#
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            let claims = #"{"access_token":{"acrs":{"value":"c1"}}}"#
            guarded.change {
                $0.demand = { _ in "claims=\"\(Data(claims.utf8).base64EncodedString())\"" }
                $0.demandError = ("insufficient_claims", 401)
            }
            #expect(try await notes.get(server).hasPrefix("401"))
            #expect(guarded.now.pages.map { $0["claims"] } == [nil, claims])
        }
    }

    @Test func `a challenge without measure counts as none`() async throws {
        for scope in [(0...50).map { "s\($0)" }.joined(separator: " "), String(repeating: "x", count: 4097)] {
            try await GuardedServer.run { (guarded, server) async throws in
                let notes = ProtectedResourceAuthorization.make(server, guarded)
                #expect(try await notes.get(server) == "200 ok")
                guarded.change { $0.demand = { _ in "scope=\"\(scope)\"" } }
                #expect(try await notes.get(server).hasPrefix("403"))
                #expect(guarded.now.pages.count == 1)
            }
        }
    }

    @Test func `a step-up exchanges its code at the token endpoint that was found last`() async throws {
        try await GuardedServer.run {
            $0.required = ["POST": ["write"]]
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded)
            _ = try await notes.get(server)
            guarded.moveTokenEndpoint()
            guarded.clock.advance(by: .seconds(4000))
            #expect(try await notes.get(server) == "200 ok")
            #expect(try await notes.get(server, "POST") == "200 ok")
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token", "/as2/token"])
        }
    }
}
#endif
