// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

extension TokenKey {
    /// A key in the Keychain, where it is added once and never replaced.
    init(_ query: KeychainQuery, in keychain: any KeychainCalls, id: String = TokenKey.defaultID) {
        let item = KeychainTokenItem(query: query, keychain: keychain)
        let material = KeptKey(load: { try await item.load() }, keep: { try await item.load(orAdding: $0) })
        self.init(id: id, material: material)
    }

    #if canImport(Security)
    /// A key in the Keychain, which is made when the first token is saved and is never replaced.
    ///
    /// - Parameters:
    ///   - client: the client id; with the account it names the Keychain item.
    ///   - account: the owner of the tokens.
    ///   - accessGroup: the keychain access group or app group whose programs share the key.
    ///   - isSynchronizable: whether iCloud Keychain syncs the key to the user's other devices.
    ///   - id: a name of 1 to 64 bytes, not secret.
    public static func keychain(
        client: String, account: String, accessGroup: String? = nil, isSynchronizable: Bool = false,
        id: String = defaultID
    ) -> TokenKey {
        TokenKey(
            .key(client, account, accessGroup, isSynchronizable: isSynchronizable), in: SecurityKeychain(), id: id)
    }
    #endif
}

extension KeychainQuery {
    /// The query for the key of a client and account. A key that iCloud Keychain syncs cannot be bound to the device.
    static func key(
        _ client: String, _ account: String, _ accessGroup: String?, isSynchronizable: Bool
    ) -> KeychainQuery {
        KeychainQuery(
            service: KeychainPurpose.key.service(of: client), account: account, accessGroup: accessGroup,
            accessibility: isSynchronizable ? .afterFirstUnlock : .afterFirstUnlockThisDeviceOnly,
            isSynchronizable: isSynchronizable)
    }
}
#endif
