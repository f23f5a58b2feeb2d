// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Items that an app and its extensions share.
///
/// The bytes are Keychain items of the group, which the system encrypts and which never leave the device. Exclusive access is
/// that of a file in the group's container. It is held within an expiring activity, and is released before the system
/// suspends the process.
///
/// Not run on Apple hardware: its decisions are tested with simulated groups, Keychain and suspensions.
public struct NamedAppGroupItems: NamedItems, RedactedDescription {
    private let group: String
    private let client: String
    private let items: NamedKeychainItems
    private let groups: any AppGroups
    private let activity: ExclusiveActivity

    init(
        _ group: String, client: String, keyGroup: String?, groups: any AppGroups, activity: ExclusiveActivity,
        keychain: any KeychainCalls
    ) {
        (self.group, self.client, self.groups, self.activity) = (group, client, groups, activity)
        items = NamedKeychainItems(client: client, accessGroup: keyGroup ?? group, keychain: keychain)
    }

    public func item(named name: String, kind: String) -> KeychainTokenItem { items.item(named: name, kind: kind) }

    public func lock(named name: String, kind: String, within limit: Duration) async throws -> TokenStoreLock {
        try await AppGroupItems(
            group: group, client: "\(client) \(kind)", account: name, groups: groups, activity: activity
        ).lock(within: limit)
    }
}

extension NamedAppGroupItems {
    #if canImport(Security)
    /// Names the group. The container and the Keychain are opened on first use.
    ///
    /// - Parameters:
    ///   - group: the identifier of the app group.
    ///   - client: the client id at the authorization server.
    ///   - keyGroup: the keychain access group of the items; by default the app group, which on iOS is also one.
    public init(_ group: String, client: String, keyGroup: String? = nil) {
        self.init(
            group, client: client, keyGroup: keyGroup, groups: SystemAppGroups(),
            activity: Suspension.activities.map { .expiring($0) } ?? .none, keychain: SecurityKeychain())
    }
    #else
    @available(*, unavailable, message: "app groups are on Apple's platforms only: use .default(client:)")
    public init(_ group: String, client: String, keyGroup: String? = nil) { fatalError("unavailable") }
    #endif
}

#if canImport(Security)
extension NamedItems where Self == NamedAppGroupItems {
    /// Items of an app group; see ``NamedAppGroupItems/init(_:client:keyGroup:)``.
    public static func appGroup(_ group: String, client: String, keyGroup: String? = nil) -> NamedAppGroupItems {
        NamedAppGroupItems(group, client: client, keyGroup: keyGroup)
    }
}
#endif
