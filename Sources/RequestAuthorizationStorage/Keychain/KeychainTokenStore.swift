// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores a token in Apple's Keychain. It is the usual store for apps.
///
///     let store = KeychainTokenStore<MyToken>(client: "CLIENT_ID", account: "me")
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// By default the item can be read after the first unlock since the device was started, and never leaves the device. It
/// survives the deletion of the app. A locked Keychain does not sign out: requests use the token in memory, and the
/// save is tried again.
///
/// It serves one process at a time, because programs cannot lock the Keychain. If an app and its extensions both
/// refresh a rotating token, use `AppGroupTokenStore`.
///
/// A store without an `accessGroup` uses the item of the program's first access group. If an earlier version without
/// keychain groups left one in the program's own group, it uses that. It never touches the item of a store that names
/// another group. To share the item from now on, `migrate(to:)` a store with an `accessGroup`.
///
/// Not run on Apple hardware: its decisions are tested against simulated Keychain status codes.
public struct KeychainTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore, RedactedDescription {
    public let items: KeychainTokenItem

    init(
        _ client: String, _ account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .default, kind: KeychainKind = .dataProtection, calls: any KeychainCalls
    ) {
        let query = KeychainQuery(
            service: KeychainPurpose.token.service(of: client), account: account, accessGroup: accessGroup,
            accessibility: accessibility, keychain: kind)
        items = KeychainTokenItem(query: query, keychain: calls)
    }
}

extension KeychainTokenStore {
    #if canImport(Security)
    /// Names the Keychain item. It is read on first use.
    ///
    /// - Parameters:
    ///   - client: the client id at the authorization server.
    ///   - account: the owner of the token, in your words; not a secret.
    ///   - accessGroup: the keychain access group (`TEAMID.com.example.shared`) or app group whose programs share the
    ///     item; by default the program's first group.
    ///   - accessibility: when the item can be read, and whether it leaves the device.
    ///   - keychain: which of the two keychains of a Mac; other platforms have one.
    public init(
        client: String, account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        keychain: KeychainKind = .dataProtection
    ) {
        self.init(
            client, account, accessGroup: accessGroup, accessibility: accessibility, kind: keychain,
            calls: SecurityKeychain())
    }
    #else
    @available(*, unavailable, message: "the Keychain is on Apple's platforms only: use .default(client:account:)")
    public init(
        client: String, account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        keychain: KeychainKind = .dataProtection
    ) { fatalError("unavailable") }
    #endif
}

/// When an item of the Keychain can be read, and whether it leaves the device.
public enum KeychainAccessibility: Hashable, Sendable, CaseIterable {
    /// After the first unlock since the device was started, on this device only. The default.
    ///
    /// An app can refresh in the background. A backup that is restored on another device does not contain the refresh
    /// token, which may have been used since.
    case afterFirstUnlockThisDeviceOnly
    /// After the first unlock since the device was started; the item is in encrypted backups and moves to new devices.
    /// Not for rotating refresh tokens.
    case afterFirstUnlock
    /// While the device is unlocked, on this device only. Code in the background may find it locked.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked; the item is in encrypted backups and moves to new devices. Not for rotating
    /// refresh tokens.
    case whenUnlocked

    /// ``afterFirstUnlockThisDeviceOnly``.
    package static let `default` = afterFirstUnlockThisDeviceOnly
}

/// Which of the two keychains of a Mac to use; other platforms have one.
public enum KeychainKind: Hashable, Sendable {
    /// The keychain that apps have on every Apple platform. The default.
    ///
    /// On a Mac it is only for signed programs with an application identifier or a keychain access group. Others find it
    /// empty, unless the store names a group, and cannot save.
    case dataProtection
    /// The file-based login keychain of macOS, for tools that are not signed.
    ///
    /// It has neither access groups nor accessibility, and may ask the user for permission. It is no fallback.
    case file
}
