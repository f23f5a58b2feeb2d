// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A stand-in for the signer without the trait `Crypto`, whose message names the trait.
#if !canImport(CryptoKit) && !Crypto

@available(
    *, unavailable,
    message: "PrivateKeySigner needs swift-crypto: enable the trait 'Crypto' of swift-request-authorization"
)
public struct PrivateKeySigner: TokenSigner {
    public let algorithm: SignatureAlgorithm
    public let keyID: String?
    public let publicKey: JSONWebKey

    public init(pem: String, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil) throws {
        fatalError("unavailable")
    }

    public init(jwk: Data, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil) throws {
        fatalError("unavailable")
    }

    public static func generated(keyID: String? = nil) -> PrivateKeySigner { fatalError("unavailable") }

    public func sign(_ message: [UInt8]) async throws -> [UInt8] { fatalError("unavailable") }
}
#endif
