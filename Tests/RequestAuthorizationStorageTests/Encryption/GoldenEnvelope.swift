// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

@testable import RequestAuthorizationStorage

/// Envelopes that another implementation of the same table wrote (Python's `cryptography`).
///
/// They must stay readable. If a test of them fails, the format has changed: give it another version instead.
struct GoldenEnvelope: Sendable, CustomStringConvertible {
    let description: String
    let cipher: TokenCipher
    let key: TokenKey
    let derivation: KeyDerivation
    let hex: String

    var item: Data { Data(hex: hex) }

    static let session = UUID(
        uuid: (0x6d, 0x1c, 0x2e, 0x0a, 0x0b, 0x1c, 0x4d, 0x2e, 0x8f, 0x30, 0x41, 0x52, 0x63, 0x74, 0x85, 0x96))
    static let version = TokenVersion(session: session, generation: 3)
    static let nonce = [UInt8](0xa0...0xab)
    static let message = Data(
        """
        {"obtainedAt":821692800,"session":"6D1C2E0A-0B1C-4D2E-8F30-415263748596","generation":3,\
        "status":"token","token":{"expiresAt":821696400,"name":"golden"}}
        """.utf8)
    static let stored = StoredToken(
        .token(TestToken("golden", expiresAt: Date(timeIntervalSinceReferenceDate: 821_696_400))), version: version,
        obtainedAt: Date(timeIntervalSinceReferenceDate: 821_692_800))

    static func all() throws -> [GoldenEnvelope] { [try aesGCM(), try chaChaPoly(), try password()] }

    /// Sealed with the bytes 0 to 31.
    static func aesGCM() throws -> GoldenEnvelope {
        GoldenEnvelope(
            description: "AES-GCM", cipher: .aesGCM, key: try .bytes([UInt8](0..<32), id: "2026"), derivation: .none,
            hex: """
                5241534500000001010000000101000000043230323600000008212f6a6b6c37d401000000010000
                000000000000040000000000000009434c49454e545f494400000003616461000000106d1c2e0a0b
                1c4d2e8f304152637485960000000800000000000000030000000ca0a1a2a3a4a5a6a7a8a9aaab00
                0000a99d3a134f31aa6bd10701c6a72540f8ec419a6022aa877240be7d43f50cc21a6ff04c65c9eb
                13100f1aac45e53938b2ba6a2f027a27fd2238726e266a9545b786878bb157059cd2c2d8c0987de1
                abbedbb962c4cae7fbaa56cc064afbc5ef3eb6b5a65fc468cbe1b9b2f9723feeed830a1e2b43cba6
                45f24e4abc9fd0966fca7ff4278949e772b03b15379fe67768abf4efb6c10fdbbed8f180bf0c9496
                3634aae77e8351a6e93af89a
                """)
    }

    static func chaChaPoly() throws -> GoldenEnvelope {
        GoldenEnvelope(
            description: "ChaCha20-Poly1305", cipher: .chaChaPoly, key: try .bytes([UInt8](0..<32), id: "2026"),
            derivation: .none,
            hex: """
                5241534500000001010000000102000000043230323600000008212f6a6b6c37d401000000010000
                000000000000040000000000000009434c49454e545f494400000003616461000000106d1c2e0a0b
                1c4d2e8f304152637485960000000800000000000000030000000ca0a1a2a3a4a5a6a7a8a9aaab00
                0000a97789173d3987abc3c56bb260dec0c5c9ac68ea8d7b5a508f96abbec2020bac624eba34bcea
                f8bcb883fcb4902d13490567f00e0a4c2153c7146426747d1f97fe82cc53760dd0a4d20ed2b5ec63
                d5db1f74f0608d3e86a58c595b3ee1fab9d399a66513cfe43e03d78362140dffa575d772b991302d
                2083d7cd9fe12790aa880c4e1bc5c8bd97cbef27dbbe501f972d3bfebd6d8d1346282c833ddf6e69
                fdffbb6ed5273dae4edec606
                """)
    }

    /// The password of `password()`. Shared, so that its key is derived once for all tests.
    static let passwordKey = Result { try TokenKey.password("correct horse") }

    static func password() throws -> GoldenEnvelope {
        GoldenEnvelope(
            description: "password", cipher: .aesGCM, key: try passwordKey.get(),
            derivation: .pbkdf2(salt: [UInt8](0..<16), rounds: 600_000),
            hex: """
                52415345000000010100000001010000000764656661756c7400000008b7cc70aa028e645b000000
                010100000010000102030405060708090a0b0c0d0e0f00000004000927c000000009434c49454e54
                5f494400000003616461000000106d1c2e0a0b1c4d2e8f3041526374859600000008000000000000
                00030000000ca0a1a2a3a4a5a6a7a8a9aaab000000a91ddb49985c5c18e66da95aecccf96bd7f8c4
                c328115cb1fa716ee2599e858467fc28fa938582c3e52747643e31b363aa291ab750f795aee8f001
                bbf2b68d3d374447d9916ace3eb6c4d32e44551a426337816bb4d7e3665e81b309eefafa77696087
                d4b6c4df52c3bdebd6cac7306ef0539373ce9a360458c8abdbc12e7169c991847942476977ea5e4c
                dc709afd3f66f4576b97ba1a3028d5fc669fdfece5682a5dcfbf19e5e56d44
                """)
    }
}
#endif
