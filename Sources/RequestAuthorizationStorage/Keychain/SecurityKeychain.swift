// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security)
import Foundation
import Security

// System calls only, because Linux does not compile this file: CI checks its types against declarations of these calls.
// `KeychainTokenItem` has the decisions.

/// https://developer.apple.com/documentation/security/keychain-items
struct SecurityKeychain: KeychainCalls {
    private static let firstGroup = Lock<String?>(nil)

    var firstGroup: Lock<String?> { Self.firstGroup }

    var program: String? { Bundle.main.bundleIdentifier }

    var hasFileKeychain: Bool {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        false
        #else
        true
        #endif
    }

    func add(_ item: KeychainQuery, value: Data) -> (status: KeychainStatus, accessGroup: String?) {
        var attributes = item.attributes.merging(item.protection) { $1 }
        attributes[kSecValueData as String] = value
        attributes[kSecReturnAttributes as String] = true
        var result: CFTypeRef?
        let status = SecItemAdd(attributes as CFDictionary, &result)
        return (KeychainStatus(rawValue: status), (result as? [String: Any])?.accessGroup)
    }

    func update(_ item: KeychainQuery, value: Data) -> KeychainStatus {
        let changes = item.protection.merging([kSecValueData as String: value]) { $1 }
        return KeychainStatus(rawValue: SecItemUpdate(item.attributes as CFDictionary, changes as CFDictionary))
    }

    func copyMatching(_ item: KeychainQuery) -> (status: KeychainStatus, value: Data?) {
        let wanted: [String: Any] = [kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitOne]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(item.attributes.merging(wanted) { $1 } as CFDictionary, &result)
        return (KeychainStatus(rawValue: status), result as? Data)
    }

    func accessGroups(of item: KeychainQuery) -> (status: KeychainStatus, groups: [String]) {
        let wanted: [String: Any] = [kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(item.attributes.merging(wanted) { $1 } as CFDictionary, &result)
        let groups = (result as? [[String: Any]] ?? []).compactMap(\.accessGroup)
        return (KeychainStatus(rawValue: status), groups)
    }

    func delete(_ item: KeychainQuery) -> KeychainStatus {
        KeychainStatus(rawValue: SecItemDelete(item.attributes as CFDictionary))
    }
}

extension [String: Any] {
    fileprivate var accessGroup: String? { self[kSecAttrAccessGroup as String] as? String }
}

extension KeychainQuery {
    fileprivate var attributes: [String: Any] {
        var attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecUseDataProtectionKeychain as String: keychain == .dataProtection,
        ]
        if keychain == .dataProtection { attributes[kSecAttrSynchronizable as String] = isSynchronizable }
        if let accessGroup { attributes[kSecAttrAccessGroup as String] = accessGroup }
        return attributes
    }

    /// When the item can be read. The file-based keychain does not support this.
    fileprivate var protection: [String: Any] {
        keychain == .dataProtection ? [kSecAttrAccessible as String: accessibility.attribute] : [:]
    }
}

extension KeychainAccessibility {
    fileprivate var attribute: CFString {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
        }
    }
}
#endif
