// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The private key that a token is bound to, or the Secure Enclave's reference to it.
///
/// It is a secret, and its description contains no part of it. The library makes it and keeps it with its token.
public struct ProofKey: Sendable, Hashable, Codable, RedactedDescription {
    enum Kind: String, Codable {
        /// The 32 bytes of a key on P-256.
        case p256
        /// The 32 bytes of an Ed25519 key.
        case ed25519
        /// A reference that only the Secure Enclave that made it can use.
        case secureEnclave
    }

    let kind: Kind
    let bytes: Data

    /// Whether the key cannot leave this device.
    package var isBoundToDevice: Bool { kind == .secureEnclave }
}

/// A token is bound to a key that cannot be used here. Nothing was sent, so the refresh token was not used.
public struct ProofUnavailable: UnsentFailure, Hashable {
    /// The reason why the key cannot be used. Its description is a short label without secrets, for metrics.
    public struct Problem: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The key is lost, damaged, or in the Secure Enclave of another device. The user has to sign in again.
        public static let keyLost = Problem(label: "key lost")
        /// The service was made without `proof: .dpop`, or without the trait `Crypto`. The session is kept.
        public static let notConfigured = Problem(label: "not configured")
        /// This device has no Secure Enclave. The session is kept.
        public static let noSecureEnclave = Problem(label: "no Secure Enclave")
        /// The Secure Enclave has keys for ES256 only. Nothing was sent.
        package static let otherAlgorithm = Problem(label: "another algorithm")
    }

    public let problem: Problem
    public var kind: TokenFailureKind { problem == .keyLost ? .terminal : .client }

    package init(_ problem: Problem) { self.problem = problem }
}

extension ProofUnavailable: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let advice =
            switch problem {
            case .keyLost: "sign in again"
            case .noSecureEnclave: "keep the key with the token: proof: .dpop"
            case .otherAlgorithm: "use ES256 with the Secure Enclave, or keep the key with the token"
            default: "make the service with proof: .dpop, and with the trait Crypto"
            }
        return "nothing was sent: the token is bound to a key that cannot be used here (\(problem)); \(advice)"
    }
}
