// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

/// The program's own place for secrets, as the samples use it.
actor Vault {
    struct Missing: Error {}

    private var contents: [String: Data] = [:]

    func data(for key: String) throws -> Data? { contents[key] }
    func set(_ data: Data, for key: String) throws { contents[key] = data }
    func remove(_ key: String) throws { contents[key] = nil }

    /// Sets the value unless there is one.
    ///
    /// - Returns: the stored value.
    func keep(_ data: Data, for key: String) throws -> Data {
        contents[key] = contents[key] ?? data
        return contents[key] ?? data
    }

    func text(for key: String) throws -> String {
        guard let data = contents[key] else { throw Missing() }
        return String(decoding: data, as: UTF8.self)
    }
}

// sample: store
struct VaultTokenStore<Token: AuthorizationToken & Codable>: TokenStore {
    let vault: Vault
    let key: String

    func load() async throws -> StoredToken<Token>? {
        guard let data = try await vault.data(for: key) else { return nil }
        return try JSONDecoder().decode(StoredToken<Token>.self, from: data)
    }

    func save(_ stored: StoredToken<Token>) async throws {
        try await vault.set(JSONEncoder().encode(stored), for: key)
    }

    func clear() async throws { try await vault.remove(key) }
}
// end sample

@Suite struct StoreSamples {
    // sample: store-checks
    @Test func `it is a store`() async throws {
        try await TokenStoreChecks {
            VaultTokenStore<TestToken>(vault: Vault(), key: "ada")
        }.run()
    }
    // end sample
}
