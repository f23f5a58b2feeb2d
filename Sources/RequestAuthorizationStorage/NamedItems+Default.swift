// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security)
/// The usual place of apps for named items on this platform: the Keychain.
public typealias DefaultNamedItems = NamedKeychainItems
#else
/// The usual place of apps for named items on this platform: files that only their owner can open.
public typealias DefaultNamedItems = NamedFiles
#endif

extension NamedItems where Self == DefaultNamedItems {
    /// The usual place of apps on this platform, beside the tokens: the Keychain on Apple's platforms, files elsewhere.
    ///
    ///     let service = OAuthTokenService.authorizationCode(
    ///         server: server, client: client, pendingSignIns: .items(.default(client: "CLIENT_ID")), transport: transport)
    ///
    /// - Parameter client: the client that tokens are issued to, such as an OAuth client id.
    public static func `default`(client: String) -> DefaultNamedItems { DefaultNamedItems(client: client) }
}
