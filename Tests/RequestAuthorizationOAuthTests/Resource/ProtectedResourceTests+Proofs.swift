// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Tokens that are bound to a key (RFC 9449).
extension ProtectedResourceTests {
    @Test func `clients are told that a credential has a proof`() async throws {
        try await GuardedServer.run {
            $0.tokenType = "DPoP"
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded, proof: .dpop)
            let request = TestRequest("\(server.base)/mcp")
            #expect(try await !notes.credential(for: request).isProven)
            try await notes.signIn()
            let credential = try await notes.credential(for: request)
            #expect(credential.isProven && credential.isForOneRequest)
        }
    }

    @Test func `RFC 9449 §8.2: the nonce of a refusal that only a person could help is in the next proof`() async throws
    {
        let nonces = Lock<[String?]>([])
        try await GuardedServer.run {
            $0.tokenType = "DPoP"
            $0.answers["/mcp"] = { request in
                nonces.withLock { $0.append(Self.nonce(of: request)) }
                return .status(
                    403, ("WWW-Authenticate", #"DPoP error="insufficient_scope", scope="write""#),
                    ("DPoP-Nonce", "n2"))
            }
        } body: { (guarded, server) async throws in
            let asked = Asked()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, proof: .dpop)
            try await notes.signIn()
            asked.answers.withLock { $0 = false }
            for _ in 0..<2 { #expect(try await notes.get(server).hasPrefix("403")) }
            #expect(nonces.withLock { $0 } == [nil, "n2"])
            #expect(asked.reasons == ["first sign-in", "further scopes"])
        }
    }

    @Test func `RFC 9449 §8.2: the nonce of the resource is in the first proof after another sign-in`() async throws {
        let nonces = Lock<[String?]>([])
        try await GuardedServer.run {
            $0.tokenType = "DPoP"
            $0.answers["/mcp"] = { request in
                nonces.withLock { $0.append(Self.nonce(of: request)) }
                return .status(200, ("DPoP-Nonce", "n2"))
            }
        } body: { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization.make(server, guarded, proof: .dpop)
            // The second one is at another server.
            for issuer in ["BASE/as", "BASE/as2"] {
                guarded.change { $0.issuers = [issuer] }
                try await notes.signIn()
                _ = try await notes.get(server)
            }
            #expect(nonces.withLock { $0 } == [nil, "n2"])
            #expect(guarded.now.forms.map(\.path) == ["/as/token", "/as2/token"])
        }
    }

    /// The nonce in the proof of a request.
    private static func nonce(of request: RawRequest) -> String? {
        struct Claims: Decodable { let nonce: String? }
        let payload = request["DPoP"]?.split(separator: ".").dropFirst().first
        let claims = payload.flatMap { Base64URL.decode(String($0)) }
        return claims.flatMap { try? JSONDecoder().decode(Claims.self, from: Data($0)) }?.nonce
    }
}
#endif
