// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// Stores a token encrypted in the container of an app group, for an app with extensions and widgets.
///
///     let auth = RefreshableTokenAuthorization(
///         service: service, store: .appGroup("group.com.example", client: "CLIENT_ID", account: "me"))
///
/// The app and its extensions may use it at the same time. They refresh a rotating token only once, and see each
/// other's sign-ins and sign-outs within a second. An extension that must never refresh uses it `readOnly`.
///
/// The container has an envelope of ``EncryptedTokenStore``. Its key is a Keychain item of the group that never leaves
/// the device. Shared defaults are not used, because they are neither durable at once nor changed under a lock.
/// Exclusive access is held within an expiring activity, and is released before the system suspends the process.
///
/// Not run on Apple hardware: its decisions are tested with simulated groups, Keychain and suspensions.
public struct AppGroupTokenStore<Token: AuthorizationToken & Codable>: SharedTokenStoreAround, ItemBackedTokenStore,
    RedactedDescription
{
    @usableFromInline package let base: any SharedTokenStore<Token>
    let backing: any SharedByteStore

    init(
        _ group: String, client: String, account: String, keyGroup: String?, groups: any AppGroups,
        activity: ExclusiveActivity, keychain: any KeychainCalls
    ) {
        let items = AppGroupItems(group: group, client: client, account: account, groups: groups, activity: activity)
        let key = TokenKey(.key(client, account, keyGroup ?? group, isSynchronizable: false), in: keychain)
        backing = items
        base = EncryptedTokenStore<Token, _>(around: items, key: key, client: client, account: account)
    }
}

extension AppGroupTokenStore {
    #if canImport(Security)
    /// Creates a store. The container and the Keychain are opened on first use.
    ///
    /// - Parameters:
    ///   - group: the identifier of the app group.
    ///   - client: the client id at the authorization server.
    ///   - account: the owner of the token, in your words; not a secret.
    ///   - keyGroup: the keychain access group of the key; by default the app group, which on iOS is also one.
    public init(_ group: String, client: String, account: String, keyGroup: String? = nil) {
        self.init(
            group, client: client, account: account, keyGroup: keyGroup, groups: SystemAppGroups(),
            activity: Suspension.activities.map { .expiring($0) } ?? .none, keychain: SecurityKeychain())
    }
    #else
    @available(*, unavailable, message: "app groups are on Apple's platforms only: use .default(client:account:)")
    public init(_ group: String, client: String, account: String, keyGroup: String? = nil) { fatalError("unavailable") }
    #endif
}

#if canImport(Security)
extension TokenStore {
    /// The container of an app group; see ``AppGroupTokenStore/init(_:client:account:keyGroup:)``.
    public static func appGroup<Token: AuthorizationToken & Codable>(
        _ group: String, client: String, account: String, keyGroup: String? = nil
    ) -> Self where Self == AppGroupTokenStore<Token> {
        AppGroupTokenStore(group, client: client, account: account, keyGroup: keyGroup)
    }
}
#endif
#else
/// Stores a token encrypted in the container of an app group, on Apple's platforms.
@available(*, unavailable, message: "app groups are on Apple's platforms only: use .default(client:account:)")
public enum AppGroupTokenStore<Token: AuthorizationToken & Codable> {}
#endif
