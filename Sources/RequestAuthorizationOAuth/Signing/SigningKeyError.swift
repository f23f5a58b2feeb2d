// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A key cannot be used for signatures. The description says why, and contains no part of the key.
public struct SigningKeyError: Error, Sendable, Hashable {
    package struct Problem: Hashable, Sendable, Labelled {
        package let label: String

        /// The text has no lines of the form `-----BEGIN … PRIVATE KEY-----`.
        package static let notPEM = Problem(label: "not PEM")
        /// The data are not a JSON object with a `kty`.
        package static let notJWK = Problem(label: "not a JWK")
        /// The key is protected by a password.
        package static let encrypted = Problem(label: "encrypted")
        /// The text is a public key, or a certificate.
        package static let notPrivate = Problem(label: "not a private key")
        /// The kind of key, its curve or its algorithm is not supported.
        package static let unsupported = Problem(label: "unsupported")
        /// The key cannot be used with the requested algorithm.
        package static let otherAlgorithm = Problem(label: "for another algorithm")
        /// The key is for encryption, or it must not sign (RFC 7517 §4.2, §4.3).
        package static let otherUse = Problem(label: "for another use")
        /// The public part does not belong to the private part.
        package static let mismatched = Problem(label: "mismatched halves")
        /// RSA with fewer than 2048 bits (RFC 7518 §3.3).
        package static let tooShort = Problem(label: "too short")
        /// A part of the key is missing or invalid.
        package static let malformed = Problem(label: "malformed")
    }

    package let problem: Problem
    /// What is wrong and what to do, in one sentence; never a secret.
    package let detail: String?

    package init(_ problem: Problem, detail: String? = nil) { (self.problem, self.detail) = (problem, detail) }
}

extension SigningKeyError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        "the signing key cannot be used: \(problem); \(detail ?? advice)"
    }

    private var advice: String {
        switch problem {
        case .notPEM: "pass the whole text of the file, with its first and last line"
        case .notJWK: "pass one JSON object with a kty, not a set of keys"
        case .encrypted: "remove its password first, for instance with openssl pkey"
        case .notPrivate: "pass the private key; the public key is for the server"
        case .unsupported: "use P-256, P-384, P-521, Ed25519, or RSA"
        case .otherAlgorithm: "leave out the algorithm, or use another key"
        case .otherUse: "take a key that is for signatures"
        case .mismatched: "the public part is of another key; take both parts of one key, or make a new one"
        case .tooShort: "make a key of 2048 bits or more"
        default: "a part of it is missing or damaged; copy it again from its source, or make a new one"
        }
    }
}
