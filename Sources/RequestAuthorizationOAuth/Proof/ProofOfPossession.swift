// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Binds the tokens of a client to a private key, so that a stolen token is of no use (RFC 9449, DPoP).
///
///     let service = OAuthTokenService.authorizationCode(
///         server: server, client: .public(id: "app"), proof: .dpop, transport: URLSession.shared)
///
/// Each session has its own key, on P-256 or for Ed25519. The key is part of the stored token: it is saved in the same write, and
/// other processes and hosts get it with the token.
public struct ProofOfPossession: Sendable, Hashable {
    /// Where the private keys are kept.
    public enum KeyStorage: Sendable, Hashable {
        /// With the token, in the provider's store.
        case withToken
        /// In the Secure Enclave, which the keys never leave; on Apple's platforms.
        ///
        /// The token can then be used on this device only, and is refused with a store that is shared between devices.
        case secureEnclave
    }

    /// The algorithm of new keys. A session goes on with the key that it has.
    public enum Algorithm: Sendable, Hashable {
        /// ECDSA with P-256, which all servers know.
        case es256
        /// Ed25519 (RFC 8037), with keys that are kept with the token only. The `alg` of proofs is `EdDSA`.
        case edDSA
    }

    package let keyStorage: KeyStorage
    package let algorithm: Algorithm
    package let allowsBearer: Bool

    #if canImport(CryptoKit) || Crypto
    /// DPoP with a key that is kept with the token (RFC 9449).
    public static let dpop = Self.dpop()

    /// DPoP (RFC 9449).
    ///
    /// - Parameters:
    ///   - keyStorage: where the private keys are kept.
    ///   - algorithm: the algorithm of new keys.
    ///   - allowsBearer: whether a server may answer with a token of the type `Bearer`, which is of use to a thief. If
    ///     not, it is an `InvalidTokenResponse` with the problem `downgraded`. A refresh keeps the new refresh token.
    public static func dpop(
        keyStorage: KeyStorage = .withToken, algorithm: Algorithm = .es256, allowsBearer: Bool = false
    ) -> ProofOfPossession {
        ProofOfPossession(keyStorage: keyStorage, algorithm: algorithm, allowsBearer: allowsBearer)
    }
    #else
    /// DPoP: with the trait `Crypto`.
    @available(
        *, unavailable,
        message: "DPoP needs signatures: enable the trait 'Crypto' of swift-request-authorization, which brings them"
    )
    public static var dpop: ProofOfPossession { fatalError("unavailable") }
    #endif
}
