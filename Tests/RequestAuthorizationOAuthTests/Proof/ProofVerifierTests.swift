// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import Testing

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The verifier of the other tests accepts the examples of the RFC, and nothing else.
@Suite struct ProofVerifierTests {
    /// The header of both examples of RFC 9449; one key signed them.
    private static let header = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQy\
        VVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19
        """
    /// §6.1
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    private static let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

    private let verifier = ProofVerifier { .make(1_562_262_620) }

    private static let atTokenEndpoint = ProofSubject(
        method: "POST", url: "https://server.example.com/token",
        fields: [
            (
                "DPoP",
                header + """
                    .eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2Vu\
                    IiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37\
                    xRZT3Lg
                    """
            )
        ])

    private static func atResource(_ scheme: String = "DPoP", token: String = Self.token) -> ProofSubject {
        ProofSubject(
            method: "GET", url: "https://resource.example.org/protectedresource",
            fields: [
                ("Authorization", "\(scheme) \(token)"),
                (
                    "DPoP",
                    header + """
                        .eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9w\
                        cm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlp\
                        S0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpL\
                        jA
                        """
                ),
            ])
    }

    @Test func `RFC 9449 §4.1: the example for a token endpoint is accepted, once`() throws {
        let expected = VerifiedProof(identifier: "-BwC3ESc6acc2lTc", thumbprint: Self.thumbprint, nonce: nil)
        #expect(try verifier.verify(Self.atTokenEndpoint) == expected)
        #expect(verifier.refusal(of: Self.atTokenEndpoint) == .repeatedIdentifier("-BwC3ESc6acc2lTc"))
    }

    @Test func `RFC 9449 §7.1: the example for a resource is accepted for the key and the token`() throws {
        let proof = try verifier.verify(Self.atResource(), token: Self.token, boundTo: Self.thumbprint)
        #expect(proof.identifier == "e1j3V_bKic8-LAEB")
    }

    @Test func `a wrong token, scheme or key is refused`() {
        func refusal(of request: ProofSubject, token: String = Self.token, boundTo key: String? = nil) -> ProofRefusal?
        {
            ProofVerifier { .make(1_562_262_620) }.refusal(of: request, token: token, boundTo: key)
        }
        #expect(refusal(of: Self.atResource("Bearer")) == .authorization)
        #expect(refusal(of: Self.atResource(token: "other")) == .authorization)
        let hash = ProofRefusal.tokenHash("fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(refusal(of: Self.atResource(token: "other"), token: "other") == hash)
        #expect(verifier.refusal(of: Self.atResource()) == hash)
        #expect(refusal(of: Self.atResource(), boundTo: "other") == .otherKey(Self.thumbprint))
    }

    @Test func `the time may differ by the tolerance, in both directions`() {
        for (now, isGood) in [
            (1_562_262_555.0, false), (1_562_262_556, true), (1_562_262_676, true), (1_562_262_677, false),
        ] {
            let verifier = ProofVerifier { .make(now) }
            #expect(verifier.refusal(of: Self.atTokenEndpoint) == (isGood ? nil : .issuedAt(1_562_262_616)))
        }
    }

    // MARK: - Forged

    /// A change that makes a valid proof invalid.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: ProofRefusal
        let change: @Sendable (inout ForgedProof) -> Void

        init(_ name: String, _ refusal: ProofRefusal, change: @escaping @Sendable (inout ForgedProof) -> Void) {
            (testDescription, self.refusal, self.change) = (name, refusal, change)
        }
    }

    private static let forgeries: [Forgery] = [
        Forgery("typ", .type("JWT")) { $0.header["typ"] = "JWT" },
        Forgery("no typ", .type(nil)) { $0.header["typ"] = nil },
        Forgery("alg", .algorithm("none")) { $0.header["alg"] = "none" },
        Forgery("crit", .malformed) { $0.header["crit"] = ["b64"] },
        Forgery("no key", .key) { $0.header["jwk"] = nil },
        Forgery("a key that is text", .malformed) { $0.header["jwk"] = "P-256" },
        Forgery("kty", .key) { $0.changeKey { $0["kty"] = "OKP" } },
        Forgery("EdDSA with a key on P-256", .key) { $0.header["alg"] = "EdDSA" },
        Forgery("crv", .key) { $0.changeKey { $0["crv"] = "P-384" } },
        Forgery("a short coordinate", .key) { $0.changeKey { $0["x"] = "AAAA" } },
        Forgery("no point of the curve", .key) { $0.changeKey { $0["x"] = $0["y"] } },
        Forgery("padding", .key) { $0.changeKey { $0["y"] = $0["y"].map { $0 + "=" } } },
        Forgery("a private key", .privateKey) { $0.changeKey { $0["d"] = "AAAA" } },
        Forgery("another key", .signature) { $0.header["jwk"] = ForgedProof().header["jwk"] },
        Forgery("no jti", .identifier(nil)) { $0.claims["jti"] = nil },
        Forgery("a short jti", .identifier("123456789012345")) { $0.claims["jti"] = "123456789012345" },
        Forgery("no iat", .issuedAt(nil)) { $0.claims["iat"] = nil },
        Forgery("iat in milliseconds", .issuedAt(61_000)) { $0.claims["iat"] = 61_000 },
        Forgery("iat that is text", .malformed) { $0.claims["iat"] = "0" },
        Forgery("htm", .method("post")) { $0.claims["htm"] = "post" },
        Forgery("no htm", .method(nil)) { $0.claims["htm"] = nil },
        Forgery("htu with a query", .url("https://as.example/token?a=b")) {
            $0.claims["htu"] = "https://as.example/token?a=b"
        },
        Forgery("htu with a port", .url("https://as.example:443/token")) {
            $0.claims["htu"] = "https://as.example:443/token"
        },
        Forgery("no htu", .url(nil)) { $0.claims["htu"] = nil },
        Forgery("ath without a token", .tokenHash("x")) { $0.claims["ath"] = "x" },
        Forgery("no nonce", .nonce(nil)) { $0.claims["nonce"] = nil },
        Forgery("nonce", .nonce("n-0")) { $0.claims["nonce"] = "n-0" },
    ]

    /// A request with proofs, and a query that the proofs do not cover.
    private func request(_ proofs: [String]) -> ProofSubject {
        ProofSubject(method: "POST", url: "https://as.example/token?a=b#c", fields: proofs.map { ("dpop", $0) })
    }

    private let judge = ProofVerifier { .make(0) }

    @Test(arguments: forgeries) func `RFC 9449 §4.3: each fault has its refusal`(forgery: Forgery) throws {
        var proof = ForgedProof()
        proof.claims["nonce"] = "n-1"
        #expect(judge.refusal(of: request([try proof.text()]), nonce: "n-1") == nil)
        proof.claims["jti"] = UUID().uuidString
        forgery.change(&proof)
        #expect(judge.refusal(of: request([try proof.text()]), nonce: "n-1") == forgery.refusal)
    }

    @Test func `exactly one proof is required, of three parts in Base64url`() throws {
        let text = try ForgedProof().text()
        #expect(judge.refusal(of: request([])) == .numberOfProofs(0))
        #expect(judge.refusal(of: request([text, text])) == .numberOfProofs(2))
        for broken in ["", "a.b", text + ".", text + "=", "." + text, text.replacing(".", with: "..")] {
            #expect(judge.refusal(of: request([broken])) == .malformed, "\(broken)")
        }
        #expect(judge.refusal(of: request([String(text.dropLast(2))])) == .signature)
        #expect(judge.refusal(of: request([text])) == nil)
    }

    @Test func `a refusal for the nonce uses up the jti`() throws {
        var proof = ForgedProof()
        #expect(judge.refusal(of: request([try proof.text()]), nonce: "n-1") == .nonce(nil))
        proof.claims["nonce"] = "n-1"
        let identifier = try #require(proof.claims["jti"] as? String)
        #expect(judge.refusal(of: request([try proof.text()]), nonce: "n-1") == .repeatedIdentifier(identifier))
    }

    @Test func `a request that came over the wire has the URL that was called`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            var proof = ForgedProof()
            proof.claims["htm"] = "GET"
            proof.claims["htu"] = server.url("/photos").absoluteString
            proof.claims["ath"] = Base64URLText.hash("t")
            var request = URLRequest(url: server.url("/photos?page=2"))
            request.setValue(try proof.text(), forHTTPHeaderField: "DPoP")
            request.setValue("DPoP t", forHTTPHeaderField: "Authorization")
            _ = try await URLSession.patient.data(for: request)
            let arrived = try #require(await server.requests.first)
            #expect(judge.refusal(of: ProofSubject(arrived), token: "t") == nil)
        }
    }
}

extension ForgedProof {
    fileprivate mutating func changeKey(_ change: (inout [String: String]) -> Void) {
        guard var key = header["jwk"] as? [String: String] else { return }
        change(&key)
        header["jwk"] = key
    }
}

extension Date {
    fileprivate static func make(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }
}
#endif
