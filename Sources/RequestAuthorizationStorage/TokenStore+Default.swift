// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

#if canImport(Security)
/// The store that a platform's apps keep tokens in: the Keychain.
public typealias DefaultTokenStore<Token: AuthorizationToken & Codable> = KeychainTokenStore<Token>
#else
/// The store that a platform's apps keep tokens in: a file that only its user can open.
public typealias DefaultTokenStore<Token: AuthorizationToken & Codable> = RestrictedFileTokenStore<Token>
#endif

extension TokenStore {
    /// Where this platform's apps keep tokens: the Keychain on Apple's, which serves one process at a time, and a
    /// ``RestrictedFileTokenStore`` elsewhere, which any number of processes share.
    ///
    /// A command-line tool takes `.tool(client:account:)`, which is shared on every platform.
    ///
    ///     let auth = RefreshableTokenAuthorization(service: service, store: .default(client: "CLIENT_ID", account: "me"))
    ///
    /// - Parameters:
    ///   - client: for whom tokens are issued, such as an OAuth client's id.
    ///   - account: whose token it is: any name that tells this client's sessions apart.
    public static func `default`<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> Self where Self == DefaultTokenStore<Token> {
        DefaultTokenStore(client: client, account: account)
    }
}
