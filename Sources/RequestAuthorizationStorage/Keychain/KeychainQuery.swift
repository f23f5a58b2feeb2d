// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A generic password of the Keychain: by what it is found, and how it is protected.
struct KeychainQuery: Hashable, Sendable {
    /// `kSecAttrService`
    var service: String
    /// `kSecAttrAccount`
    var account: String
    /// `kSecAttrAccessGroup`; `nil` is the first group of the program.
    var accessGroup: String?
    /// `kSecAttrAccessible`
    var accessibility: KeychainAccessibility
    /// `kSecAttrSynchronizable`
    var isSynchronizable = false
    /// `kSecUseDataProtectionKeychain`
    var keychain: KeychainKind = .dataProtection
}

/// What of a client and account is kept in the Keychain; part of the item's service, so that the names never meet those of
/// the app's own items.
enum KeychainPurpose: String {
    case token, key, device

    func service(of client: String) -> String { "request-authorization.\(rawValue).\(client)" }
}
