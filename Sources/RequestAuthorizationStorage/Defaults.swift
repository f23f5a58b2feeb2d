// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security)
/// The usual token store of apps on this platform: the Keychain.
public typealias DefaultTokenStore<Token: AuthorizationToken & Codable> = KeychainTokenStore<Token>
/// The usual place of apps for named items on this platform: the Keychain.
public typealias DefaultNamedItems = NamedKeychainItems
#else
/// The usual token store of apps on this platform: a file that only its owner can open.
public typealias DefaultTokenStore<Token: AuthorizationToken & Codable> = RestrictedFileTokenStore<Token>
/// The usual place of apps for named items on this platform: files that only their owner can open.
public typealias DefaultNamedItems = NamedFiles
#endif

extension TokenStore {
    /// The usual token store of apps on this platform.
    ///
    /// On Apple's platforms it is the Keychain, for one process at a time. Elsewhere it is a
    /// ``RestrictedFileTokenStore``, which any number of processes share. Command-line tools use
    /// `.tool(client:account:)`, which is shared everywhere.
    ///
    ///     let auth = RefreshableTokenAuthorization(service: service, store: .default(client: "CLIENT_ID", account: "me"))
    ///
    /// - Parameters:
    ///   - client: the client that tokens are issued to, such as an OAuth client id.
    ///   - account: any name that tells this client's sessions apart.
    public static func `default`<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> Self where Self == DefaultTokenStore<Token> {
        DefaultTokenStore(client: client, account: account)
    }

    /// The usual token store of command-line tools, on every platform: a ``RestrictedFileTokenStore``.
    ///
    ///     let auth = RefreshableTokenAuthorization(
    ///         service: service, store: .tool(client: "CLIENT_ID", account: "me"), policy: .tool)
    ///
    /// Commands that run at the same time refresh a rotating token only once.
    ///
    /// - Parameters:
    ///   - client: the client that tokens are issued to, such as an OAuth client id.
    ///   - account: any name that tells this client's sessions apart.
    public static func tool<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> Self where Self == RestrictedFileTokenStore<Token> {
        RestrictedFileTokenStore(client: client, account: account)
    }
}

extension NamedItems where Self == DefaultNamedItems {
    /// The usual place of apps on this platform, beside the tokens: the Keychain on Apple's platforms, files elsewhere.
    ///
    ///     let service = OAuthTokenService.authorizationCode(
    ///         server: server, client: client, pendingSignIns: .items(.default(client: "CLIENT_ID")), transport: transport)
    ///
    /// - Parameter client: the client that tokens are issued to, such as an OAuth client id.
    public static func `default`(client: String) -> DefaultNamedItems { DefaultNamedItems(client: client) }
}
