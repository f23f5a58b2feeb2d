// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures

/// What outlives a process: a disk, a database, a Keychain, an iCloud.
protocol World: Sendable {
    init(clock: HastyClock) throws

    /// The mishaps that its calls can have.
    static var mishaps: [Mishap] { get }

    /// Opens the store of an account, as a process with this fate does.
    func store(_ account: String, _ fate: Fate) async throws -> any TokenStore<TestToken>

    /// Opens the store with a new key, and the one before as an old key; `nil` for a world without keys.
    func storeWithNewKey(_ fate: Fate) async throws -> (any TokenStore<TestToken>)?

    /// Encrypts the stored token with the new key.
    func rotateKey(_ fate: Fate) async throws

    /// Removes all of an account.
    func remove(_ account: String, _ fate: Fate) async throws
}

extension World {
    static var mishaps: [Mishap] { Mishap.allCases }

    func storeWithNewKey(_ fate: Fate) async throws -> (any TokenStore<TestToken>)? { nil }
    func rotateKey(_ fate: Fate) async throws {}
    func remove(_ account: String, _ fate: Fate) async throws { try await store(account, fate).clear() }
}
