// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How the tokens of a client are bound to a key, so that a stolen token is of no use (RFC 9449, DPoP).
///
///     let service = OAuthTokenService.authorizationCode(
///         server: server, client: .public(id: "app"), proof: .dpop, transport: URLSession.shared)
///
/// Each session has a key of its own, on P-256. It is a part of the stored token: it is saved in the same write, and goes with the
/// token to other processes and hosts.
public struct ProofOfPossession: Sendable, Hashable {
    /// Where the private keys are.
    public enum KeyStorage: Sendable, Hashable {
        /// With the token, in the store that the provider was given.
        case withToken
        /// In the Secure Enclave, which they never leave; on Apple's platforms. The token is then of use on this device alone, and
        /// refused with a store that is shared with others.
        case secureEnclave
    }

    public let keyStorage: KeyStorage
    /// Whether a server may answer with a token of the type `Bearer`, which a thief can use.
    ///
    /// If not, such an answer is an InvalidTokenResponse with the problem InvalidTokenResponse/Problem/downgraded. Its
    /// refresh token is kept.
    public let allowsBearer: Bool

    #if canImport(CryptoKit) || Crypto
    /// Proofs with a key that is kept with the token (RFC 9449).
    public static let dpop = Self.dpop()

    /// Proofs (RFC 9449).
    ///
    /// - Parameters:
    ///   - keyStorage: where the private keys are.
    ///   - allowsBearer: whether a server may answer with a token of the type `Bearer`.
    public static func dpop(keyStorage: KeyStorage = .withToken, allowsBearer: Bool = false) -> ProofOfPossession {
        ProofOfPossession(keyStorage: keyStorage, allowsBearer: allowsBearer)
    }
    #else
    /// Proofs: with the trait `Crypto`.
    @available(
        *, unavailable,
        message: "DPoP needs signatures: enable the trait 'Crypto' of swift-request-authorization, which brings them"
    )
    public static var dpop: ProofOfPossession { fatalError("unavailable") }
    #endif
}
