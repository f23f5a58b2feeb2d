// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The system calls for the Keychain: `SecurityKeychain`, or a simulation in tests.
///
/// They block, because the Keychain is another process.
///
/// Without an access group `add` uses the program's first group. All other calls use every group of the program
/// (https://developer.apple.com/documentation/security/ksecattraccessgroup), so `KeychainTokenItem` always names one.
protocol KeychainCalls: Sendable {
    /// `SecItemAdd`, and the group of the new item
    func add(_ item: KeychainQuery, value: Data) -> (status: KeychainStatus, accessGroup: String?)

    /// `SecItemUpdate`, of the value and the accessibility
    func update(_ item: KeychainQuery, value: Data) -> KeychainStatus

    /// `SecItemCopyMatching` with `kSecMatchLimitOne`
    func copyMatching(_ item: KeychainQuery) -> (status: KeychainStatus, value: Data?)

    /// `SecItemCopyMatching` with `kSecMatchLimitAll`: the groups of all items, without their values
    func accessGroups(of item: KeychainQuery) -> (status: KeychainStatus, groups: [String])

    /// `SecItemDelete`
    func delete(_ item: KeychainQuery) -> KeychainStatus

    /// `Bundle.bundleIdentifier` of the program, with which the name of its own access group ends
    var program: String? { get }

    /// Whether the system has a file-based keychain, too. Only a Mac has.
    var hasFileKeychain: Bool { get }

    /// The first access group of the program, once a call has told it. All items share it, because it does not change
    /// while the program runs.
    var firstGroup: Lock<String?> { get }
}

/// The attributes that find and protect a generic password of the Keychain.
struct KeychainQuery: Hashable, Sendable {
    /// `kSecAttrService`
    var service: String
    /// `kSecAttrAccount`
    var account: String
    /// `kSecAttrAccessGroup`; see ``KeychainCalls`` for what `nil` means. The file-based keychain has no groups.
    var accessGroup: String?
    /// `kSecAttrAccessible`
    var accessibility: KeychainAccessibility
    /// `kSecAttrSynchronizable`
    var isSynchronizable = false
    /// `kSecUseDataProtectionKeychain`
    var keychain: KeychainKind = .dataProtection

    func `in`(_ group: String) -> KeychainQuery {
        var query = self
        query.accessGroup = group
        return query
    }
}

/// The kind of Keychain item. It is part of the item's service, which keeps the names apart from the app's own items.
enum KeychainPurpose: String {
    case token, key, device, probe

    func service(of client: String) -> String { "request-authorization.\(rawValue).\(client)" }
}

/// The result of a Keychain call, an `OSStatus`.
///
/// The numbers and names are those of Apple's "Security Framework Result Codes"
/// (https://developer.apple.com/documentation/security/security-framework-result-codes), declared in
/// `Security/SecBase.h`.
struct KeychainStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    let rawValue: Int32
    var description: String { Self.names[self].map { "\($0) (\(rawValue))" } ?? "status \(rawValue)" }

    static let success = Self(rawValue: 0)
    /// No item has these attributes. Only this status means that the store is empty.
    static let itemNotFound = Self(rawValue: -25300)
    /// An item with these attributes exists.
    static let duplicateItem = Self(rawValue: -25299)
    /// The item is locked: the device has not been unlocked since it was started.
    static let interactionNotAllowed = Self(rawValue: -25308)
    /// The item is locked, and the system would have to ask the user.
    static let interactionRequired = Self(rawValue: -25315)
    /// The machine is awake without a user (macOS).
    static let inDarkWake = Self(rawValue: -25320)
    /// No Keychain is available, for instance early after a start.
    static let notAvailable = Self(rawValue: -25291)
    /// The user refused (macOS, in the file-based keychain).
    static let userCanceled = Self(rawValue: -128)
    /// The user, or the item's list of programs, refused.
    static let authFailed = Self(rawValue: -25293)
    /// The user has no file-based keychain (macOS, for users without a home folder).
    static let noSuchKeychain = Self(rawValue: -25294)
    static let noDefaultKeychain = Self(rawValue: -25307)
    /// The file-based keychain is read-only.
    static let readOnly = Self(rawValue: -25292)
    /// The program lacks an entitlement: it is not signed, or is not in the access group.
    static let missingEntitlement = Self(rawValue: -34018)
    /// The item exists and cannot be decrypted.
    static let decode = Self(rawValue: -26275)
    static let diskFull = Self(rawValue: -34)

    private static let names: [KeychainStatus: String] = [
        .success: "errSecSuccess", .itemNotFound: "errSecItemNotFound", .duplicateItem: "errSecDuplicateItem",
        .interactionNotAllowed: "errSecInteractionNotAllowed", .interactionRequired: "errSecInteractionRequired",
        .inDarkWake: "errSecInDarkWake", .notAvailable: "errSecNotAvailable", .userCanceled: "errSecUserCanceled",
        .authFailed: "errSecAuthFailed", .noSuchKeychain: "errSecNoSuchKeychain",
        .noDefaultKeychain: "errSecNoDefaultKeychain", .readOnly: "errSecReadOnly",
        .missingEntitlement: "errSecMissingEntitlement", .decode: "errSecDecode", .diskFull: "errSecDiskFull",
    ]
}
