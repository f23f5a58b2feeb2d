// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Binds the tokens of a client to a private key, so that a stolen token is of no use (RFC 9449, DPoP).
///
///     let service = OAuthTokenService.authorizationCode(
///         server: server, client: .public(id: "app"), proof: .dpop, transport: URLSession.shared)
///
/// Each session has its own key, on P-256. The key is part of the stored token: it is saved in the same write, and
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

    public let keyStorage: KeyStorage
    /// Whether a server may answer with a token of the type `Bearer`, which is of use to a thief.
    ///
    /// If not, such an answer is an `InvalidTokenResponse` with the problem `downgraded`. Its refresh token is kept.
    public let allowsBearer: Bool

    #if canImport(CryptoKit) || Crypto
    /// DPoP with a key that is kept with the token (RFC 9449).
    public static let dpop = Self.dpop()

    /// DPoP (RFC 9449).
    public static func dpop(keyStorage: KeyStorage = .withToken, allowsBearer: Bool = false) -> ProofOfPossession {
        ProofOfPossession(keyStorage: keyStorage, allowsBearer: allowsBearer)
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
