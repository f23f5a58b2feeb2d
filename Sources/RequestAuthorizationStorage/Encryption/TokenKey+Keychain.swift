// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import RequestAuthorization

/// Keeps the key of an `EncryptedTokenStore` in the Keychain: adds it once, never replaces it.
struct KeychainKey: TokenKeySource, RedactedDescription {
    let item: KeychainTokenItem

    init(query: KeychainQuery, keychain: any KeychainCalls) {
        item = KeychainTokenItem(query: query, keychain: keychain)
    }

    func load() async throws -> Data? { try await item.load() }

    func keep(_ key: Data) async throws -> Data { try await item.load(orAdding: key) }
}

extension TokenKey {
    #if canImport(Security)
    /// A key in the Keychain, that is made there when the first token is saved and never replaced.
    ///
    /// - Parameters:
    ///   - client: the client id; it and the account name the item.
    ///   - account: whose tokens the key seals.
    ///   - accessGroup: the keychain access group or app group whose programs share the key.
    ///   - isSynchronizable: whether iCloud Keychain takes it to the person's other devices.
    ///   - id: a name of 1 to 64 bytes, not secret.
    public static func keychain(
        client: String, account: String, accessGroup: String? = nil, isSynchronizable: Bool = false,
        id: String = defaultID
    ) -> TokenKey {
        let query = KeychainQuery.key(client, account, accessGroup, isSynchronizable: isSynchronizable)
        return .kept(by: KeychainKey(query: query, keychain: SecurityKeychain()), id: id)
    }
    #endif
}

extension KeychainQuery {
    /// The key of a client and account. What iCloud Keychain is to carry cannot be bound to the device.
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
