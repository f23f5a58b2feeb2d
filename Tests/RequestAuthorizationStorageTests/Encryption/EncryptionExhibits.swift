// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationStorage

extension Exhibit {
    #if canImport(CryptoKit) || Crypto
    static let encryptionWithoutSecrets: Set = ["TokenCipher"]

    /// Keys that are the secret, and their containers.
    static func encryption() async throws -> [Exhibit] {
        let bytes = Data((Secret.text + String(repeating: "x", count: 32)).utf8.prefix(32))
        let kept = InMemoryItems(bytes)
        let keys = [
            try TokenKey.bytes(bytes), try TokenKey.password(Secret.text), TokenKey.kept(in: kept),
            TokenKey.kept(by: SecretKeySource()),
        ]
        var exhibits: [Exhibit] = []
        for key in keys {
            let store = EncryptedTokenStore<TestToken, _>(
                around: InMemoryItems(), key: key, oldKeys: keys, client: "CLIENT_ID", account: "ada")
            exhibits += [
                Exhibit("TokenKey", key), Exhibit("TokenKey", key.material), Exhibit("EncryptedTokenStore", store),
            ]
        }
        let sealer = StoredTokenSealer<TestToken>(key: keys[0], oldKeys: keys, client: "CLIENT_ID", account: "ada")
        exhibits.append(Exhibit("StoredTokenSealer", sealer))
        return exhibits
    }
    #else
    static let encryptionWithoutSecrets: Set = [
        "TokenCipher", "TokenKey", "EncryptedTokenStore", "LeasedTokens",
    ]

    static func encryption() async throws -> [Exhibit] { [] }
    #endif
}

#if canImport(CryptoKit) || Crypto
private struct SecretKeySource: TokenKeySource {
    let key = Data(Secret.text.utf8)

    func load() async throws -> Data? { key }
    func keep(_ key: Data) async throws -> Data { key }
}

@Suite struct EncryptionRedactionTests {
    @Test func `keys print their type and no byte`() async throws {
        let key = try TokenKey.bytes([UInt8](0..<32))
        #expect("\(key)" == "TokenKey([redacted])")
        for channel in Channel.allCases {
            let text = channel.text(of: key) + channel.text(of: key.material)
            #expect(!text.contains("1, 2, 3") && !text.contains("010203"), "\(channel)")
        }
    }
}
#endif
