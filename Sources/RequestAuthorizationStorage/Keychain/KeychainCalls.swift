// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
