// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
/// Stores a token in the keyring of a Linux desktop (GNOME Keyring, KWallet, KeePassXC) through libsecret.
///
///     let store = SecretServiceTokenStore<MyToken>(client: "tool", account: "me")
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// The keyring encrypts the token with the user's password. The client and the account are not encrypted.
///
/// A locked keyring, a missing service or a missing session bus is an error and does not sign out. Requests use the
/// token in memory, and the save is tried again. A locked keyring may show a prompt, for up to the limit. A
/// prompt that the person refuses is an error, too: the item stays as it was, and the provider tries again.
///
/// It serves one process at a time, because programs cannot lock a keyring. If several refresh a rotating token, use
/// `RestrictedFileTokenStore`.
///
/// The store turns off `exit-on-close` of GDBus: the process does not end when its session bus closes.
public struct SecretServiceTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore, RedactedDescription {
    public let items: SecretServiceTokenItem

    /// Names the item of the keyring. It is read on first use.
    ///
    /// - Parameters:
    ///   - client: the client id at the authorization server; not a secret.
    ///   - account: the owner of the token, in your words; not a secret.
    ///   - limit: how long one operation may take, a prompt included; 60 s by default.
    ///   - clock: measures `limit`.
    public init(
        client: String, account: String, limit: Duration = .seconds(60), clock: any AuthorizationClock = .system
    ) {
        items = SecretServiceTokenItem(
            name: SecretServiceName(client: client, account: account), limit: limit, clock: clock)
    }
}
#else
@available(
    *, unavailable, message: "enable the trait 'SecretService' of swift-request-authorization; it needs libsecret-1-dev"
)
public struct SecretServiceTokenStore<Token: AuthorizationToken & Codable>: Sendable {
    public init(
        client: String, account: String, limit: Duration = .seconds(60), clock: any AuthorizationClock = .system
    ) { fatalError("unavailable") }
}
#endif
