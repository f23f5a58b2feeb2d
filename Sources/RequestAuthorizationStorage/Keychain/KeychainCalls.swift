// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The four calls of Apple's Keychain that are used, as values.
///
/// `SecurityKeychain` makes them; tests have a Keychain of their own. They block: the Keychain is another process.
protocol KeychainCalls: Sendable {
    /// `SecItemAdd`
    func add(_ item: KeychainQuery, value: Data) -> KeychainStatus

    /// `SecItemUpdate`, of the value and the accessibility
    func update(_ item: KeychainQuery, value: Data) -> KeychainStatus

    /// `SecItemCopyMatching`
    func copyMatching(_ item: KeychainQuery) -> (status: KeychainStatus, value: Data?)

    /// `SecItemDelete`
    func delete(_ item: KeychainQuery) -> KeychainStatus
}

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

/// What a call of the Keychain returns.
///
/// Numbers and names are those of Apple's reference, "Security Framework Result Codes"
/// (https://developer.apple.com/documentation/security/security-framework-result-codes), declared in `Security/SecBase.h`.
struct KeychainStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    static let success = Self(rawValue: 0)
    /// No item has these attributes. The only status that means "there is nothing".
    static let itemNotFound = Self(rawValue: -25300)
    /// An item with these attributes exists.
    static let duplicateItem = Self(rawValue: -25299)
    /// The item cannot be had now: the device has not been unlocked since it was started.
    static let interactionNotAllowed = Self(rawValue: -25308)
    /// As above, because the person would have to be asked.
    static let interactionRequired = Self(rawValue: -25315)
    /// The machine is awake without a person (macOS).
    static let inDarkWake = Self(rawValue: -25320)
    /// There is no Keychain to be had, early after a start for instance.
    static let notAvailable = Self(rawValue: -25291)
    /// The person refused (macOS, in the file-based keychain).
    static let userCanceled = Self(rawValue: -128)
    /// The person, or the item's list of programs, refused.
    static let authFailed = Self(rawValue: -25293)
    /// There is no file-based keychain (macOS, for users without a home).
    static let noSuchKeychain = Self(rawValue: -25294)
    static let noDefaultKeychain = Self(rawValue: -25307)
    /// The file-based keychain may only be read.
    static let readOnly = Self(rawValue: -25292)
    /// The program lacks an entitlement: it is not signed, or does not belong to the access group.
    static let missingEntitlement = Self(rawValue: -34018)
    /// The item is there and cannot be decrypted.
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

extension KeychainStatus: CustomStringConvertible {
    var description: String { Self.names[self].map { "\($0) (\(rawValue))" } ?? "status \(rawValue)" }
}
