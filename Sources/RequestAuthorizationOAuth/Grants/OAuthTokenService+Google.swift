// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
public import RequestAuthorization

extension OAuthTokenService {
    /// A service account of Google, from the file that its console makes.
    ///
    ///     let service = try OAuthTokenService.googleServiceAccount(
    ///         key: Data(contentsOf: file), scopes: ["https://www.googleapis.com/auth/devstorage.read_only"], transport: transport)
    ///
    /// Google's documentation: "Using OAuth 2.0 for Server to Server Applications".
    ///
    /// - Parameters:
    ///   - key: the contents of the JSON file. Keep it as you keep a password.
    ///   - subject: the person of the domain whom the account acts for, if its administrator allowed that.
    ///   - scopes: what to ask for; at least one.
    ///   - transport: carries the requests, for instance `URLSession.shared`.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    /// - Throws: ``SigningKeyError`` for a file that has no such key.
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

/// The file that Google's console makes.
private struct ServiceAccountFile: RedactedDescription {
    let email: String
    let privateKey: String
    let keyID: String
    let tokenEndpoint: URL

    init(_ json: Data) throws(SigningKeyError) {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: json) else {
            throw SigningKeyError(.malformed, detail: "pass the JSON file of a service account as it is")
        }
        func text(_ name: String) throws(SigningKeyError) -> String {
            guard case .string(let text) = members[name], !text.isEmpty else {
                throw SigningKeyError(.malformed, detail: "there is no \(name): pass the file of a service account")
            }
            return text
        }
        (email, privateKey) = (try text("client_email"), try text("private_key"))
        keyID = try text("private_key_id")
        guard let url = URL(string: try text("token_uri")) else {
            throw SigningKeyError(.malformed, detail: "the file's token_uri is no address")
        }
        tokenEndpoint = url
    }
}
#endif
