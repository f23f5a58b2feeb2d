// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// Keeps a token in Apple's Keychain: the store of choice for apps.
///
///     let store = KeychainTokenStore<MyToken>(client: "CLIENT_ID", account: "me")
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// By default the item can be read from the first unlock after a start on, and never leaves the device. It survives the
/// deletion of the app. A locked Keychain is not an empty one: requests go on with the token in memory, nobody is signed out,
/// and the save is tried again.
///
/// It serves one process at a time, for a Keychain cannot be locked. Where an app and its extensions both refresh a token that
/// rotates, use `AppGroupTokenStore`.
///
/// Not run on Apple hardware: what it decides is tested against a Keychain made of status codes.
public struct KeychainTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore {
    public let items: KeychainTokenItem

    init(
        _ client: String, _ account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .default,
        kind: KeychainKind = .dataProtection, calls: any KeychainCalls
    ) {
        let query = KeychainQuery(
            service: KeychainPurpose.token.service(of: client), account: account, accessGroup: accessGroup,
            accessibility: accessibility, keychain: kind)
        items = KeychainTokenItem(query: query, keychain: calls)
    }
}

extension KeychainTokenStore: RedactedDescription {}

extension KeychainTokenStore {
    #if canImport(Security)
    /// - Parameters:
    ///   - client: the client id at the authorization server.
    ///   - account: whose token it is, in your words; not a secret.
    ///   - accessGroup: the keychain access group (`TEAMID.com.example.shared`) or app group whose programs share the item;
    ///     by default the program's first group.
    ///   - accessibility: when it can be read, and whether it leaves the device.
    ///   - keychain: which of the Mac's keychains; elsewhere there is one.
    public init(
        client: String, account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .default, keychain: KeychainKind = .dataProtection
    ) {
        self.init(
            client, account, accessGroup: accessGroup, accessibility: accessibility, kind: keychain,
            calls: SecurityKeychain())
    }
    #else
    @available(*, unavailable, message: "the Keychain is on Apple's platforms only: use .default(client:account:)")
    public init(
        client: String, account: String, accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .default, keychain: KeychainKind = .dataProtection
    ) {
        fatalError("unavailable")
    }
    #endif
}

/// When an item of the Keychain can be read, and whether it leaves the device.
public enum KeychainAccessibility: Hashable, Sendable, CaseIterable {
    /// From the first unlock after a start on, on this device only: an app can refresh in the background, and no backup that
    /// is restored elsewhere holds a refresh token that has been spent since. The default.
    case afterFirstUnlockThisDeviceOnly
    /// From the first unlock after a start on; goes into encrypted backups and to new devices. Not for rotating refresh tokens.
    case afterFirstUnlock
    /// While the device is unlocked, on this device only. What runs in the background finds it locked.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked; goes into encrypted backups and to new devices. Not for rotating refresh tokens.
    case whenUnlocked

    /// ``afterFirstUnlockThisDeviceOnly``.
    public static let `default` = afterFirstUnlockThisDeviceOnly
}

/// Which of the Mac's two keychains; elsewhere there is one.
public enum KeychainKind: Hashable, Sendable {
    /// The keychain that apps have on every platform of Apple. On a Mac only signed programs with an application identifier or
    /// a keychain access group may use it. The default.
    case dataProtection
    /// The file-based login keychain of macOS, for tools that are not signed. It knows neither access groups nor
    /// accessibility, and may ask the person for leave. Choosing it is up to you: nothing falls back to it.
    case file
}
