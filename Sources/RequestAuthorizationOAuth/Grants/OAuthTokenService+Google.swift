// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

extension OAuthTokenService {
    /// Fetches tokens for a Google service account, from the key file of Google's console.
    ///
    ///     let service = try OAuthTokenService.googleServiceAccount(
    ///         key: Data(contentsOf: file), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"], transport: transport)
    ///
    /// Google's documentation: "Using OAuth 2.0 for Server to Server Applications".
    ///
    /// `key` is the content of the JSON file. Protect it like a password. `subject` is the user of the domain whom the
    /// account acts for, if the domain's administrator allowed that. There must be at least one scope.
    ///
    /// - Throws: ``SigningKeyError`` if the file has no such key.
    public static func googleServiceAccount(
        key: Data, subject: String? = nil, scopes: Set<String>, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) throws -> OAuthTokenService {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: key) else {
            throw SigningKeyError(.malformed, detail: "pass the whole JSON file of a service account, unchanged")
        }
        func text(_ name: String) throws(SigningKeyError) -> String {
            if let text = members[name]?.text { return text }
            throw SigningKeyError(.malformed, detail: "\(name) is missing: pass the JSON file of a service account")
        }
        let (email, privateKey) = (try text("client_email"), try text("private_key"))
        let keyID = try text("private_key_id")
        guard let tokenEndpoint = URL(string: try text("token_uri")) else {
            throw SigningKeyError(
                .malformed, detail: "token_uri is not a URL: pass the JSON file of a service account, unchanged")
        }
        var server = AuthorizationServer.google
        server.tokenEndpoint = tokenEndpoint
        let signer = try PrivateKeySigner(pem: privateKey, algorithm: .rs256, keyID: keyID)
        return jwtBearer(
            server: server,
            assertion: .signed(
                by: signer, issuer: email, subject: subject, audience: .tokenEndpoint, .seconds(3600),
                // Google's documentation prints no `jti`, and Google accepts an assertion again.
                ["scope": .string(server.quirks.text(of: scopes)), "jti": .null]),
            transport: transport, clock: clock)
    }
}
#endif
