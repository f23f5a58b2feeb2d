// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension NamedKeychainItems {
    /// Items of an app group, whose exclusive access is that of a file in the group's container.
    init(
        _ group: String, client: String, keyGroup: String?, groups: any AppGroups, activity: ExclusiveActivity,
        keychain: any KeychainCalls
    ) {
        self.init(client: client, accessGroup: keyGroup ?? group, keychain: keychain) { name, kind, limit in
            try await AppGroupItems(
                group: group, client: "\(client) \(kind)", account: name, groups: groups, activity: activity
            ).lock(within: limit)
        }
    }
}

#if canImport(Security)
extension NamedItems where Self == NamedKeychainItems {
    /// Items that an app and its extensions share. The container and the Keychain are opened on first use.
    ///
    /// The bytes are Keychain items of the group, which the system encrypts and which never leave the device. Exclusive
    /// access is that of a file in the group's container. It is held within an expiring activity, and is released before
    /// the system suspends the process.
    ///
    /// Not run on Apple hardware: its decisions are tested with simulated groups, Keychain and suspensions.
    ///
    /// - Parameters:
    ///   - group: the identifier of the app group.
    ///   - client: the client id at the authorization server.
    ///   - keyGroup: the keychain access group of the items; by default the app group, which on iOS is also one.
    public static func appGroup(_ group: String, client: String, keyGroup: String? = nil) -> NamedKeychainItems {
        NamedKeychainItems(
            group, client: client, keyGroup: keyGroup, groups: SystemAppGroups(),
            activity: Suspension.activities.map { .expiring($0) } ?? .none, keychain: SecurityKeychain())
    }
}
#endif
