// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// What a resource demands of the next token or of the next sign-in.
@Suite struct ClaimsTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport()
    private let answer = #"{"access_token":"a","refresh_token":"r2"}"#

    /// What the preset declares.
    private static let declared = #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#

    private func service(_ quirks: ServerQuirks, metadata: [String: JSONValue] = [:]) -> OAuthTokenService {
        var server = AuthorizationServer.make(at: "https://as.example.com")
        (server.quirks, server.additionalMetadata) = (quirks, metadata)
        return .authorizationCode(
            server: server, client: .public(id: "tool"), redirectURI: "https://client.example.org/cb",
            pendingSignIns: InMemoryPendingSignIns(), transport: transport, clock: clock)
    }

    private func challenge(_ claims: String, _ parameters: [String: String] = [:]) -> AuthenticationChallenge {
        let own = ["error": "insufficient_claims", "claims": Data(claims.utf8).base64EncodedString()]
        return AuthenticationChallenge(scheme: "Bearer", parameters: own.merging(parameters) { $1 })
    }

    /// The claims of a refresh.
    private func refreshed(_ quirks: ServerQuirks, after challenge: AuthenticationChallenge) async throws -> String? {
        transport.append(.response(200, json: answer))
        let token = OAuthToken.make(refreshToken: "r")
        #expect(try await service(quirks).refresh(token, after: challenge).refreshToken == "r2")
        return try #require(transport.requests.last).form["claims"]
    }

    private let microsoft = AuthorizationServer.microsoft(tenant: "common").quirks

    @Test func `a server that takes claims gets what it and the resource want, in one object`() async throws {
        let nbf = #"{"access_token":{"nbf":{"essential":true,"value":"17"}},"id_token":{"a":null}}"#
        #expect(
            try await refreshed(microsoft, after: challenge(nbf))
                == #"{"access_token":{"nbf":{"essential":true,"value":"17"},"xms_cc":{"values":["cp1"]}},"#
                + #""id_token":{"a":null}}"#)
        #expect(try await refreshed(ServerQuirks(claims: [:]), after: challenge(nbf)) == nbf)
    }

    @Test func `other servers get none`() async throws {
        #expect(try await refreshed(ServerQuirks(), after: challenge(#"{"a":1}"#)) == nil)
        #expect(try await refreshed(ServerQuirks(claims: [:]), after: .init(scheme: "Bearer")) == nil)
    }

    @Test(arguments: [
        "{", #"{"a":}"#, "{}x",
        #"{"a":"# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}",
    ])
    func `a damaged demand is not passed on`(claims: String) async throws {
        #expect(try await refreshed(microsoft, after: challenge(claims)) == Self.declared)
    }

    @Test func `each request to a server with the preset declares what the client understands`() async throws {
        let service = service(microsoft)
        transport.append(.response(200, json: answer))
        _ = try await service.refresh(.make(refreshToken: "r"))
        #expect(transport.requests.last?.form["claims"] == Self.declared)
        let page = try await service.signIn(scopes: ["x"]).url
        #expect(page.parameter("claims") == Self.declared)
    }

    @Test func `a grant without a user passes the demand on`() async throws {
        var server = AuthorizationServer.make(at: "https://as.example.com")
        server.quirks = microsoft
        let service = OAuthTokenService.clientCredentials(
            server: server, client: .secretPost(id: "tool", secret: "s"), transport: transport, clock: clock)
        transport.append(.response(200, json: answer))
        _ = try await service.refresh(.make(refreshToken: nil), after: challenge(#"{"a":1}"#))
        let claims = try #require(transport.requests.last?.form["claims"])
        #expect(claims == #"{"a":1,"access_token":{"xms_cc":{"values":["cp1"]}}}"#)
    }

    @Test func `RFC 9470 §4: a sign-in asks for what the challenge wants, beside its own scopes`() async throws {
        let wanted = challenge(#"{"a":1}"#, ["scope": "y z", "acr_values": "gold silver", "max_age": "300"])
        let service = service(ServerQuirks(), metadata: ["claims_parameter_supported": .bool(true)])
        let pending = try await service.signIn(scopes: ["x", "y"], after: wanted)
        #expect(pending.scopes == ["x", "y", "z"])
        #expect(pending.url.parameter("scope") == "x y z")
        #expect(pending.url.parameter("acr_values") == "gold silver")
        #expect(pending.url.parameter("max_age") == "300")
        #expect(pending.url.parameter("claims") == #"{"a":1}"#)
        let own = try await service.signIn(scopes: [], after: wanted, parameters: ["max_age": "0"])
        #expect(own.url.parameter("max_age") == "0")
        #expect(try await self.service(ServerQuirks()).signIn(scopes: [], after: wanted).url.parameter("claims") == nil)
    }

    @Test func `the quirk survives coding`() throws {
        let copy = try JSONDecoder().decode(ServerQuirks.self, from: JSONEncoder().encode(microsoft))
        #expect(copy == microsoft)
    }

    @Test func `the issuer of a preset is that of its tenant`() {
        let tenant = "8EAEF023-2B34-4DA1-9BAA-8BC8C9D6A490"
        #expect(
            AuthorizationServer.microsoft(tenant: tenant).issuer
                == "https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0")
        #expect(AuthorizationServer.microsoft(tenant: "organizations").issuer == nil)
    }
}

extension URL {
    /// A parameter of the query.
    fileprivate func parameter(_ name: String) -> String? { formParameters(query(percentEncoded: true) ?? "")[name] }
}
#endif
