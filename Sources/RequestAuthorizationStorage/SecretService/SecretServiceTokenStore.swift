// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

#if SecretService
/// Keeps a token in the keyring of a Linux desktop: GNOME Keyring, KWallet, KeePassXC, by way of libsecret.
///
///     let store = SecretServiceTokenStore<MyToken>(client: "tool", account: "me")
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// The keyring encrypts the token with the person's password; the client and the account are its attributes, which are not
/// encrypted. A keyring that is locked, a missing service or session bus is "unavailable", never "nothing there": requests go
/// on with the token in memory, nobody is signed out, and the save is tried again. A locked keyring is asked to unlock, which
/// may show a prompt; nobody waits for that longer than the limit.
///
/// It serves one process at a time, for a keyring cannot be locked by programs. Where several refresh a token that rotates,
/// use `RestrictedFileTokenStore`.
///
/// The session bus of the process no longer ends the process when it closes (`exit-on-close` of GDBus).
public struct SecretServiceTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore {
    public let items: SecretServiceTokenItem

    /// - Parameters:
    ///   - client: the client id at the authorization server; not a secret.
    ///   - account: whose token it is, in your words; not a secret.
    ///   - limit: how long one operation may take, a prompt included.
    ///   - clock: what `limit` runs on.
    public init(
        client: String, account: String, limit: Duration = .seconds(60), clock: any AuthorizationClock = .system
    ) {
        items = SecretServiceTokenItem(
            name: SecretServiceName(client: client, account: account), limit: limit, clock: clock)
    }
}

extension SecretServiceTokenStore: RedactedDescription {}
#else
@available(
    *, unavailable, message: "enable the trait 'SecretService' of swift-request-authorization; it needs libsecret-1-dev"
)
public struct SecretServiceTokenStore<Token: AuthorizationToken & Codable>: Sendable {
    public init(
        client: String, account: String, limit: Duration = .seconds(60), clock: any AuthorizationClock = .system
    ) {
        fatalError("unavailable")
    }
}
#endif
