// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

// sample: source
struct VaultKeySource: TokenKeySource {
    let vault: Vault

    func load() async throws -> Data? { try await vault.data(for: "token key") }

    /// Keeps the key unless there is one already, and returns the one that is kept.
    func keep(_ key: Data) async throws -> Data { try await vault.keep(key, for: "token key") }
}
// end sample

/// In a temporary folder that is removed with the test.
@Suite final class EncryptionSamples {
    let folder = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID())").path
    let token = WidgetToken(accessToken: "a", refreshToken: "r", expiresAt: .distantFuture)
    let service = ScriptedTokenService<WidgetToken>()
    let client = "CLIENT_ID"

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `a password`() async throws {
        let (password, folder) = ("correct horse", TokenFolder.at(folder))
        // sample: password
        let items = RestrictedFileItems(client: client, account: "ada", folder: folder)
        let store = EncryptedTokenStore<WidgetToken, _>(around: items, key: try .password(password))
        let auth = RefreshableTokenAuthorization(service: service, store: store)
        // end sample
        try await auth.signIn { [token] in token }
        #expect(try await store.load()?.token == token)

        let typed = EncryptedTokenStore<WidgetToken, _>(around: items, key: try .password("battery staple"))
        #expect(try await isRight(typed) == false)
        #expect(try await isRight(store))
    }

    // sample: wrong
    func isRight(_ store: some TokenStore<WidgetToken>) async throws -> Bool {
        do {
            _ = try await store.load()
            return true
        } catch let error as TokenStoreError where error.kind == .wrongKey {
            return false  // ask for the password again, and make another store
        }
    }
    // end sample

    @Test func `a kept key`() async throws {
        let (tokens, keys) = (TokenFolder.at("\(folder)/tokens"), TokenFolder.at("\(folder)/keys"))
        // sample: kept
        let key = TokenKey.kept(in: RestrictedFileItems(client: client, account: "key", folder: keys))
        let items = RestrictedFileItems(client: client, account: "ada", folder: tokens)
        let store = EncryptedTokenStore<WidgetToken, _>(around: items, key: key)
        // end sample
        try await SharedTokenStoreChecks(token: { WidgetToken.numbered($0) }) { (store, store) }.run()
    }

    @Test func `another key`() async throws {
        let items = RestrictedFileItems(client: client, account: "ada", folder: .at(folder))
        let oldKey = try TokenKey.bytes([UInt8](0..<32), id: "2026")
        let vault = Vault()
        let newKey = TokenKey.kept(by: VaultKeySource(vault: vault), id: "2027")
        let old = EncryptedTokenStore<WidgetToken, _>(around: items, key: oldKey)
        let version = TokenVersion(session: UUID(), generation: 0)
        try await old.save(StoredToken(.token(token), version: version, obtainedAt: .now))
        // sample: rotation
        let store = EncryptedTokenStore<WidgetToken, _>(around: items, key: newKey, oldKeys: [oldKey])
        try await store.reencrypt()  // when it returns, no token of this account needs the old key
        // end sample
        #expect(try await store.load()?.token == token)
        #expect(try await vault.data(for: "token key")?.count == 32)
        await #expect(throws: TokenStoreError.self) { try await old.load() }
    }
}

extension WidgetToken {
    fileprivate static func numbered(_ number: Int) -> WidgetToken {
        WidgetToken(accessToken: "a\(number)", refreshToken: "r\(number)", expiresAt: .distantFuture)
    }
}
#endif
