// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationOAuth

/// RFC 9728 and RFC 8414: who guards a resource.
@Suite struct ResourceDiscoveryTests {
    private func discover(
        at place: String? = nil, requiresListedPKCE: Bool = true,
        _ change: (inout GuardedServer.State) -> Void = { _ in }
    ) async throws -> (found: ProtectedResource, targets: [String], base: String) {
        try await GuardedServer.run(change) { guarded, server in
            do {
                let found = try await ProtectedResource.discover(
                    "\(server.base)/mcp", challenge: place.map { Self.challenge(server.base, $0) },
                    requiresListedPKCE: requiresListedPKCE, transport: .patient, clock: guarded.clock)
                return (found, await server.requests.map(\.target), server.base)
            } catch {
                throw Failed(error: error, targets: await server.requests.map(\.target))
            }
        }
    }

    private struct Failed: Error {
        let error: any Error
        let targets: [String]
    }

    /// The error of a discovery, and what was asked.
    private func failure(
        at place: String? = nil, _ change: (inout GuardedServer.State) -> Void
    ) async throws -> (error: ProtectedResourceError, targets: [String]) {
        let failed = await #expect(throws: Failed.self) { _ = try await discover(at: place, change) }
        let error = try #require(failed?.error as? ProtectedResourceError, "\(failed?.error as Any)")
        return (error, failed?.targets ?? [])
    }

    private static func challenge(_ base: String, _ place: String) -> AuthenticationChallenge {
        let place = place.hasPrefix("/") ? base + place : place
        return AuthenticationChallenge(scheme: "Bearer", parameters: ["resource_metadata": place, "scope": "a b"])
    }

    private static let well = "/.well-known/oauth-protected-resource"

    @Test func `RFC 9728 §3.1: the well-known part stands before the path`() async throws {
        let (found, targets, base) = try await discover { $0.resourceMembers = #","scopes_supported":["a"],"x":1"# }
        #expect(targets == ["\(Self.well)/mcp", "/.well-known/oauth-authorization-server/as"])
        #expect(found.identifier == "\(base)/mcp" && found.server.issuer == "\(base)/as")
        #expect(found.scopes == ["a"] && found.scopesSupported == ["a"])
        #expect(found.additionalMetadata == ["x": .integer(1)])
        #expect(found.server.registrationEndpoint?.absoluteString == "\(base)/as/register")
        #expect(try JSONDecoder().decode(ProtectedResource.self, from: JSONEncoder().encode(found)) == found)
    }

    @Test(arguments: [
        ("", ""), ("/", ""), ("?v=1", "?v=1"), ("/?v=1", "?v=1"), ("/mcp?v=/", "/mcp?v=/"), ("/mcp/", "/mcp/"),
    ])
    func `RFC 9728 §3.1: a slash behind the host is removed, also before a query`(end: String, kept: String)
        async throws
    {
        let transport = ScriptedTokenTransport(forever: .response(404, json: "{}"))
        let error = await #expect(throws: ProtectedResourceError.self) {
            try await ProtectedResource.discover("https://notes.example\(end)", transport: transport)
        }
        #expect(error?.problem == .noMetadata)
        #expect(transport.requests.first?.url.absoluteString == "https://notes.example\(Self.well)\(kept)")
    }

    @Test func `RFC 9728 §5.1: the place that the challenge names comes first, and its scopes count`() async throws {
        let (found, targets, _) = try await discover(at: "/custom") { state in
            let answer: @Sendable (RawRequest) -> Answer = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)/mcp","authorization_servers":["\#(base)/as"]}"#)
            }
            (state.resource, state.answers["/custom"]) = (nil, answer)
        }
        #expect(targets.first == "/custom" && targets.count == 2)
        #expect(found.scopes == ["a", "b"] && found.scopesSupported == [])
    }

    @Test func `a place without a host in the challenge hides no metadata at the well-known ones`() async throws {
        let (found, targets, base) = try await discover(at: "metadata.json")
        #expect(found.identifier == "\(base)/mcp" && targets.first == "\(Self.well)/mcp")
    }

    @Test func `without a challenge the resource is asked for one, which may name another place`() async throws {
        let (found, targets, _) = try await discover { state in
            (state.resource, state.challenge) = (nil, #"resource_metadata="BASE/custom", scope="a""#)
            state.answers["/custom"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)/mcp","authorization_servers":["\#(base)/as"]}"#)
            }
        }
        let places = ["\(Self.well)/mcp", Self.well, "/mcp", "/custom", "/.well-known/oauth-authorization-server/as"]
        #expect(targets == places)
        // The program has met no refusal that requires a scope.
        #expect(found.scopes == [])
    }

    @Test func `the resource is asked for a challenge also if its well-known places redirect`() async throws {
        let (found, targets, base) = try await discover { state in
            state.challenge = #"resource_metadata="BASE/custom""#
            for place in ["\(Self.well)/mcp", Self.well] {
                state.answers[place] = { _ in .redirect(302, to: "/log-in") }
            }
            state.answers["/custom"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)/mcp","authorization_servers":["\#(base)/as"]}"#)
            }
        }
        #expect(found.server.issuer == "\(base)/as" && targets.contains("/custom"))
    }

    @Test func `without a place in the challenge the root is asked too, whose resource is the origin`() async throws {
        let (found, targets, base) = try await discover { state in
            state.resource = nil
            state.answers[Self.well] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)","authorization_servers":["\#(base)/as"]}"#)
            }
        }
        #expect(targets.prefix(2) == ["\(Self.well)/mcp", Self.well])
        #expect(found.identifier == base)
    }

    @Test func `a resource without metadata whose origin is an issuer is guarded by that`() async throws {
        let (found, targets, base) = try await discover { state in
            state.resource = nil
            state.answers["/.well-known/oauth-authorization-server"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(
                    #"{"issuer":"\#(base)","token_endpoint":"\#(base)/t","code_challenge_methods_supported":["S256"]}"#)
            }
        }
        #expect(found.identifier == "\(base)/mcp" && found.server.issuer == base)
        #expect(targets.count == 4)  // The third asks the resource for its challenge.
    }

    @Test func `without any metadata the advice is to name the server`() async throws {
        let (error, targets) = try await failure { $0.resource = nil }
        #expect(error.problem == .noMetadata && "\(error)".contains("known:"))
        #expect(targets.count == 5)
    }

    @Test(arguments: [
        "https://evil.example.com/mcp", "BASE/other", "BASE/mc", "BASE/mcp/", "BASE/mcp?x", "BASE/MCP", "BASE/../mcp",
        "http://127.0.0.1:1/mcp", "http://localhost/mcp",
    ])
    func `RFC 9728 §3.3: nothing is asked of the servers of another resource`(resource: String) async throws {
        let (error, targets) = try await failure { $0.resource = resource }
        #expect(error.problem == .otherResource && error.member == "resource")
        #expect(targets == ["\(Self.well)/mcp"])
    }

    @Test func `a resource that names a parent at a slash is one, also with a slash at the end`() async throws {
        for parent in ["BASE", "BASE/"] {
            let (found, _, base) = try await discover { $0.resource = parent }
            #expect(found.identifier == parent.replacing("BASE", with: base))
        }
    }

    @Test func `a parent may have a name that begins with a dot`() async throws {
        try await GuardedServer.run { state in
            state.answers["\(Self.well)/.api/mcp"] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)/.api","authorization_servers":["\#(base)/as"]}"#)
            }
        } body: { (guarded, server) async throws in
            let found = try await ProtectedResource.discover(
                "\(server.base)/.api/mcp", transport: .patient, clock: guarded.clock)
            #expect(found.identifier == "\(server.base)/.api")
        }
    }

    @Test func `the first usable server counts, and two are asked at most`() async throws {
        let (found, _, base) = try await discover { $0.issuers = ["http://169.254.169.254", "BASE/none", "BASE/as2"] }
        #expect(found.server.issuer == "\(base)/as2")
        let (error, targets) = try await failure { $0.issuers = ["BASE/none", "BASE/none2", "BASE/as"] }
        #expect(error.problem == .noMetadata && error.member == "authorization_servers")
        #expect(targets.count == 9)  // 1 + 4 × 2
    }

    @Test func `RFC 8414 §3.3: metadata of another issuer, or without one, are not used`() async throws {
        for issuer in [#""issuer":"https://evil.example","#, #""issuer":"BASE/as/","#, ""] {
            let (error, _) = try await failure { state in
                state.answers["/.well-known/oauth-authorization-server/as"] = {
                    .json(
                        "{\(issuer)\"token_endpoint\":\"BASE/t\"}".replacing(
                            "BASE", with: "http://127.0.0.1:\($0.port)"))
                }
            }
            #expect(error.problem == (issuer.isEmpty ? .noMetadata : .otherIssuer))
        }
    }

    @Test func `a server that does not list S256 is refused unless the program knows better`() async throws {
        for members in ["", #","code_challenge_methods_supported":["plain"]"#] {
            let (error, _) = try await failure { $0.serverMembers = members }
            #expect(error.problem == .noPKCE && error.member == "code_challenge_methods_supported")
            let (found, _, _) = try await discover(requiresListedPKCE: false) { $0.serverMembers = members }
            #expect(!found.server.quirks.requiresListedPKCE)
        }
    }

    @Test(arguments: [
        "token_endpoint", "registration_endpoint", "revocation_endpoint", "pushed_authorization_request_endpoint",
    ])
    func `no endpoint is in another network`(name: String) async throws {
        let (error, _) = try await failure { state in
            state.answers["/.well-known/oauth-authorization-server/as"] = {
                .json(
                    #"{"issuer":"http://127.0.0.1:\#($0.port)/as","\#(name)":"https://169.254.169.254/x"}"#)
            }
        }
        #expect(error.problem == .forbiddenAddress && error.member == name)
    }

    @Test func `metadata in another network are not asked for, and no redirect into one is followed`() async throws {
        let (error, targets) = try await failure(at: "http://169.254.169.254/latest/meta-data") { _ in }
        #expect(error.problem == .forbiddenAddress && error.member == "resource_metadata" && targets.isEmpty)
        let (redirect, _) = try await failure { state in
            state.answers["\(Self.well)/mcp"] = { _ in .redirect(302, to: "http://169.254.169.254/latest") }
        }
        #expect(redirect.problem == .noMetadata && redirect.member == "resource_metadata")
        #expect("\(redirect)".contains("redirect (302)"))
    }

    @Test func `more than 64 KiB are not read, of either document`() async throws {
        let long = String(repeating: "x", count: 64 << 10)
        let (error, _) = try await failure { $0.resourceMembers = #","x":"\#(long)""# }
        #expect(error.problem == .unusable && "\(error)".contains("64 KiB"))
        let (other, _) = try await failure { $0.serverMembers += #","x":"\#(long)""# }
        #expect(other.problem == .unusable && "\(other)".contains("64 KiB"))
    }

    @Test func `a long page for an unknown path hides no metadata at another place`() async throws {
        let (found, _, base) = try await discover { state in
            state.resource = nil
            for place in ["\(Self.well)/mcp", "/.well-known/oauth-authorization-server/as"] {
                state.answers[place] = { _ in .status(404, body: String(repeating: "x", count: 65 << 10)) }
            }
            state.answers[Self.well] = {
                let base = "http://127.0.0.1:\($0.port)"
                return .json(#"{"resource":"\#(base)","authorization_servers":["\#(base)/as"]}"#)
            }
            state.answers["/.well-known/openid-configuration/as"] = {
                let own = "http://127.0.0.1:\($0.port)/as"
                return .json(
                    #"{"issuer":"\#(own)","token_endpoint":"\#(own)/t","code_challenge_methods_supported":["S256"]}"#)
            }
        }
        #expect(found.identifier == base && found.server.tokenEndpoint?.absoluteString == "\(base)/as/t")
    }

    @Test func `500 brackets are an error that names the member`() async throws {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        for member in ["resource", "authorization_servers"] {
            let (error, _) = try await failure { state in
                state.answers["\(Self.well)/mcp"] = { request in
                    let base = "http://127.0.0.1:\(request.port)"
                    let other = member == "resource" ? #""x":1"# : #""resource":"\#(base)/mcp""#
                    return .json(#"{"\#(member)":\#(deep),\#(other)}"#)
                }
            }
            #expect(error.problem == .unusable && error.member == member)
        }
        // A member that nobody needs does no harm.
        _ = try await discover { $0.resourceMembers = #","x":\#(deep)"# }
    }

    @Test(arguments: [429, 500, 503]) func `a server that cannot answer now is asked again later`(status: Int)
        async throws
    {
        for place in ["\(Self.well)/mcp", "/.well-known/oauth-authorization-server/as"] {
            let (error, _) = try await failure { $0.answers[place] = { _ in .status(status, ("Retry-After", "7")) } }
            #expect(error.problem == .unavailable && error.retryAfter == .seconds(7) && error.kind == .transient)
        }
    }

    @Test func `10 seconds are enough for a whole discovery`() async throws {
        let clock = ManualClock()
        let transport = ClockedTransport(clock: clock)
        let error = await #expect(throws: ProtectedResourceError.self) {
            try await ProtectedResource.discover("https://notes.example/mcp", transport: transport, clock: clock)
        }
        #expect(error?.problem == .unavailable)
        #expect(transport.timeouts.withLock { $0 } == [.seconds(10), .seconds(6), .seconds(2)])
    }

    /// Answers each request with 404, after four seconds.
    private struct ClockedTransport: TokenTransport {
        let clock: ManualClock
        let timeouts = Lock<[Duration]>([])

        func send(_ request: TokenRequest) async throws -> TokenResponse {
            timeouts.withLock { $0.append(request.timeout) }
            clock.advance(by: .seconds(4))
            return TokenResponse(statusCode: 404)
        }
    }

    @Test func `the scopes of a sign-in`() {
        func found(_ listed: [String]?) -> ProtectedResource {
            var server = AuthorizationServer(issuer: "https://as.example")
            server.additionalMetadata["scopes_supported"] = listed.map { .array($0.map { .string($0) }) }
            return ProtectedResource(identifier: "https://notes.example", server: server, scopesSupported: ["a", "b"])
        }
        let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["scope": "c offline_access"])
        #expect(found(nil).scopes(after: nil) == ["a", "b"])
        #expect(found(["x"]).scopes(after: challenge) == ["c"])
        #expect(found(["offline_access"]).scopes(after: challenge) == ["c", "offline_access"])
        #expect(found(["offline_access"]).scopes(after: nil) == ["a", "b", "offline_access"])
        #expect(found(nil).scopes(after: challenge, requested: ["a"]) == ["a", "c"])
        #expect(found(nil).scopes(after: nil, requested: ["mine", "offline_access"]) == ["mine", "offline_access"])
    }

    @Test func `a secret is for its own issuer only`() throws {
        let server = AuthorizationServer(issuer: "https://as.example")
        let found = ProtectedResource(identifier: "https://notes.example/mcp", server: server)
        #expect(try found.server(of: "https://as.example") == server)
        for issuer in ["https://as.example/", "https://AS.example", "https://other.example"] {
            let error = #expect(throws: ProtectedResourceError.self) { try found.server(of: issuer) }
            #expect(error?.problem == .otherServer)
        }
        #expect(found.client(.public(id: "c")).resources == ["https://notes.example/mcp"])
    }
}
#endif
