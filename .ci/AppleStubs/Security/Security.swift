// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Declarations of the API for `SecurityKeychain`, `SystemEntitlements` and `RSASigningKey`, with the types of Apple's reference
// (https://developer.apple.com/documentation/security/keychain-items), for the type checker only: the bodies do nothing.
// Types that Apple bridges (`CFDictionary` and dictionaries) are one type here.

import Foundation

public typealias OSStatus = Int32
public typealias CFString = String
public typealias CFTypeRef = AnyObject
public typealias CFDictionary = [AnyHashable: Any]

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }

// https://developer.apple.com/documentation/security/sectask
public typealias CFAllocator = AnyObject
public typealias CFError = AnyObject
public class SecTask {}
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { nil }
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? { nil }

public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessGroup: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrSynchronizable: CFString = ""
public let kSecUseDataProtectionKeychain: CFString = ""
public let kSecValueData: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecReturnAttributes: CFString = ""
public let kSecMatchLimit: CFString = ""
public let kSecMatchLimitOne: CFString = ""
public let kSecMatchLimitAll: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlock: CFString = ""
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = ""
public let kSecAttrAccessibleWhenUnlocked: CFString = ""

// https://developer.apple.com/documentation/security/certificate-key-and-trust-services/keys
public typealias CFData = Data
public class SecKey {}
public struct SecKeyAlgorithm: Hashable, Sendable {
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm()
}
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { nil }
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }

public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyClass: CFString = ""
public let kSecAttrKeyClassPrivate: CFString = ""
