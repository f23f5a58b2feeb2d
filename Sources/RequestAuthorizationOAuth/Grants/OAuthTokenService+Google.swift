// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
public import RequestAuthorization

extension OAuthTokenService {
    /// Fetches tokens for a Google service account, from the key file of Google's console.
    ///
    ///     let service = try OAuthTokenService.googleServiceAccount(
    ///         key: Data(contentsOf: file), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"], transport: transport)
    ///
    /// Google's documentation: "Using OAuth 2.0 for Server to Server Applications".
    ///
    /// - Parameters:
    ///   - key: the contents of the JSON file. Protect it like a password.
    ///   - subject: the user of the domain whom the account acts for, if the domain's administrator allowed that.
    ///   - scopes: the scopes of the token; at least one.
    ///   - transport: sends the requests, for instance `URLSession.shared`.
    ///   - clock: the system's, or a `ManualClock` in tests.
    /// - Throws: ``SigningKeyError`` if the file has no such key.
    public static func googleServiceAccount(
        key: Data, subject: String? = nil, scopes: Set<String>, transport: any TokenTransport,
        clock: any AuthorizationClock = .system
    ) throws -> OAuthTokenService {
        let account = try ServiceAccountFile(key)
        var server = AuthorizationServer.google
        server.tokenEndpoint = account.tokenEndpoint
        let signer = try PrivateKeySigner(pem: account.privateKey, algorithm: .rs256, keyID: account.keyID)
        return jwtBearer(
            server: server,
            assertion: .signed(
                by: signer, issuer: account.email, subject: subject, audience: .tokenEndpoint, .seconds(3600),
                ["scope": .string(server.quirks.text(of: scopes))]),
            transport: transport, clock: clock)
    }
}

/// The key file of Google's console.
private struct ServiceAccountFile: RedactedDescription {
    let email: String
    let privateKey: String
    let keyID: String
    let tokenEndpoint: URL

    init(_ json: Data) throws(SigningKeyError) {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: json) else {
            throw SigningKeyError(.malformed, detail: "pass the whole JSON file of a service account, unchanged")
        }
        func text(_ name: String) throws(SigningKeyError) -> String {
            guard case .string(let text) = members[name], !text.isEmpty else {
                throw SigningKeyError(
                    .malformed, detail: "\(name) is missing: pass the JSON file of a service account")
            }
            return text
        }
        (email, privateKey) = (try text("client_email"), try text("private_key"))
        keyID = try text("private_key_id")
        guard let url = URL(string: try text("token_uri")) else {
            throw SigningKeyError(
                .malformed, detail: "token_uri is not a URL: pass the JSON file of a service account, unchanged")
        }
        tokenEndpoint = url
    }
}
#endif
