// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A client that proves itself with a signature (RFC 7523 §2.2, as revised).
@Suite struct PrivateKeyJWTTests {
    private let clock = ManualClock()
    private let transport = ScriptedTokenTransport(forever: .response(200, json: #"{"access_token":"a"}"#))
    private let signer: PrivateKeySigner

    init() throws { signer = try PrivateKeySigner(jwk: PublishedKey.p256, keyID: "k1") }

    private func service(
        _ authenticator: PrivateKeyJWT, server: AuthorizationServer = .make()
    ) -> OAuthTokenService {
        .clientCredentials(
            server: server, client: .public(id: "bank"), authentication: authenticator, transport: transport,
            clock: clock)
    }

    /// The assertions of all requests, after verification.
    private func assertions() throws -> [SignedClaims] {
        try transport.requests.map { request in
            let pairs = request.text.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
            let assertion = try #require(pairs.first { $0[0] == "client_assertion" }?[1])
            return try SignedClaims(assertion, key: signer.publicKey)
        }
    }

    @Test func `RFC 7523 §2.2: an assertion names the client twice and the issuer alone, and lasts a minute`()
        async throws
    {
        _ = try await service(.privateKeyJWT(signer)).initialToken()
        let jwt = try #require(try assertions().first)
        #expect(
            jwt.header == ["alg": .string("ES256"), "kid": .string("k1"), "typ": .string("client-authentication+jwt")])
        let now = Int64(clock.now.timeIntervalSince1970)
        var claims = jwt.claims
        guard case .string(let identifier) = claims.removeValue(forKey: "jti") else {
            Issue.record("no jti")
            return
        }
        #expect(identifier.utf8.count >= 22)
        #expect(
            claims == [
                "iss": .string("bank"), "sub": .string("bank"), "aud": .string("https://as.example"),
                "iat": .integer(now), "exp": .integer(now + 60),
            ])
        let request = try #require(transport.requests.first)
        #expect(
            request.text.hasPrefix(
                "client_id=bank&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                    + "&client_assertion="))
        #expect(request["Authorization"] == nil)
    }

    @Test func `RFC 7523 §3: each request has an assertion of its own`() async throws {
        let service = service(.privateKeyJWT(signer))
        for _ in 0..<3 { _ = try await service.initialToken() }
        try await service.revoke(.make(accessToken: "a", refreshToken: "r"))
        let identifiers = try assertions().map { $0.claims["jti"] }
        #expect(identifiers.count == 5)
        #expect(Set(identifiers).count == 5)
    }

    @Test func `RFC 7523 §2.2: a server that refuses the current form gets the older one`() async throws {
        _ = try await service(.privateKeyJWT(signer, audience: .tokenEndpoint, type: "JWT")).initialToken()
        _ = try await service(.privateKeyJWT(signer, audience: .text("urn:as"))).initialToken()
        let found = try assertions()
        #expect(found.map { $0.claims["aud"] } == [.string("https://as.example/token"), .string("urn:as")])
        #expect(found.map { $0.header["typ"] } == [.string("JWT"), .string("client-authentication+jwt")])
    }

    @Test func `without an issuer nothing is sent, and the error gives advice`() async throws {
        let server = AuthorizationServer(tokenEndpoint: URL(string: "https://as.example/token"))
        let error = await #expect(throws: InvalidTokenRequest.self) {
            try await service(.privateKeyJWT(signer), server: server).initialToken()
        }
        #expect(error?.description.contains("name it, or discover the server") == true)
        #expect(transport.calls == 0)
    }

    @Test func `a signer that fails sends nothing and ends no session`() async throws {
        struct Locked: TokenSigner {
            let algorithm = SignatureAlgorithm.es256
            let keyID: String? = nil
            func sign(_ message: [UInt8]) async throws -> [UInt8] { throw SigningKeyError(.malformed) }
        }
        let error = await #expect(throws: ClientAuthenticationFailed.self) {
            try await service(.privateKeyJWT(Locked())).initialToken()
        }
        #expect(error?.underlying is SigningKeyError)
        #expect(transport.calls == 0)
    }

    @Test func `a server that refuses the assertion ends no session`() async throws {
        let transport = ScriptedTokenTransport(.response(401, json: #"{"error":"invalid_client"}"#))
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "bank"), authentication: .privateKeyJWT(signer), transport: transport,
            clock: clock)
        let auth = RefreshableTokenAuthorization(service: service, clock: clock)
        try await auth.setToken(.make(refreshToken: "r"))
        let error = await #expect(throws: NotAuthorized.self) { try await auth.refreshNow() }
        #expect(error?.reason == .clientRefused)
        #expect(auth.currentToken?.refreshToken == "r")
    }
}

/// A JWT whose signature with ES256 is good.
struct SignedClaims {
    let header: [String: JSONValue]
    let claims: [String: JSONValue]

    init(_ text: String, key: JSONWebKey) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        let point = try ["x", "y"].flatMap { try #require(key.members[$0].flatMap(Base64URL.decode)) }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: #require(Base64URL.decode(parts[2])))
        let isGood = try P256.Signing.PublicKey(rawRepresentation: point)
            .isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        try #require(isGood)
        header = try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(#require(Base64URL.decode(parts[0]))))
        claims = try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(#require(Base64URL.decode(parts[1]))))
    }
}
#endif
