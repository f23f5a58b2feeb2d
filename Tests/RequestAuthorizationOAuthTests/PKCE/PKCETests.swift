// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import RequestAuthorizationOAuth
import Testing

@Suite struct PKCETests {
    // RFC 7636 App. B.
    @Test func `RFC 7636 App. B: the published verifier and challenge`() {
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(Base64URL.encode(octets) == verifier)
        #expect(PKCE.isVerifier(verifier))
        #expect(PKCE.challenge(for: verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    // RFC 7636 App. A.
    @Test func `RFC 7636 App. A: the published encoding, without padding`() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    }

    // RFC 7636 §4.1.
    @Test func `RFC 7636 §4.1: a verifier is 32 bytes of the generator in 43 unreserved characters`() {
        var generator = Counter()
        #expect(PKCE.makeVerifier(using: &generator) == Base64URL.encode(0..<32))
        #expect(PKCE.makeVerifier().utf8.count == 43)
        #expect(PKCE.isVerifier(PKCE.makeVerifier()))
    }

    // RFC 9700 §2.1.1: per transaction.
    @Test func `no verifier is made twice`() {
        #expect(Set((0..<1000).map { _ in PKCE.makeVerifier() }).count == 1000)
    }

    // RFC 7636 §4.2, §7.2.
    @Test func `RFC 7636 §7.2: the only method is S256`() {
        #expect(PKCE.method == "S256")
    }
}

extension PKCE {
    /// A new verifier from the system's source of randomness.
    static func makeVerifier() -> String {
        var generator = SystemRandomNumberGenerator()
        return makeVerifier(using: &generator)
    }

    /// Whether a text is a valid verifier (RFC 7636 §4.1).
    static func isVerifier(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9\-._~]{43,128}/) != nil }
}

/// Counts the bytes that it returns.
private struct Counter: RandomNumberGenerator {
    private var count: UInt8 = 0

    mutating func next() -> UInt64 {
        defer { count += 1 }
        // `UInt8.random(in: .min ... .max)` takes the lowest byte.
        return UInt64(count)
    }
}
#endif
