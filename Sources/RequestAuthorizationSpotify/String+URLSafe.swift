// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// For your own flows. ``SpotifyTokenService`` makes states, verifiers and challenges by itself.
extension String {
    /// The characters that need no encoding in a URL and are allowed in a code verifier (RFC 3986 §2.3, RFC 7636 §4.1).
    public static var urlSafeCharacters: String { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" }

    /// A random text from the system's generator. Each character has 6.04 random bits; a code verifier has 43 to 128.
    public static func randomURLSafe(length: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return randomURLSafe(length: length, using: &generator)
    }

    /// A random text from your own generator.
    public static func randomURLSafe(length: Int, using generator: inout some RandomNumberGenerator) -> String {
        let characters = Array(urlSafeCharacters)
        return String(
            (0..<Swift.max(0, length)).map { _ in characters[Int.random(in: characters.indices, using: &generator)] })
    }

    #if canImport(CryptoKit) || Crypto
    /// The challenge of a code verifier: its SHA-256 in Base64URL (RFC 7636 §4.2, `S256`).
    public static func makeCodeChallenge(codeVerifier: String) -> String { PKCE.challenge(for: codeVerifier) }
    #else
    /// The challenge of a code verifier: with the trait `Crypto`.
    @available(
        *, unavailable,
        message: "PKCE needs SHA-256: enable the trait 'Crypto' of swift-request-authorization, which brings it"
    )
    public static func makeCodeChallenge(codeVerifier: String) -> String { fatalError("unavailable") }
    #endif
}

extension Data {
    /// Base64 with `-` and `_` and without `=` (RFC 4648 §5, RFC 7636 App. A).
    public func base64URLEncodedString() -> String { Base64URL.encode(self) }
}
