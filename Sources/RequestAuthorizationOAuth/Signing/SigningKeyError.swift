// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A key that nothing can be signed with. No part of it is in the error.
public struct SigningKeyError: Error, Sendable, Hashable {
    /// What is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// It is no text of the form `-----BEGIN … PRIVATE KEY-----`.
        public static let notPEM = Problem(description: "not PEM")
        /// It is no JSON object with a `kty`.
        public static let notJWK = Problem(description: "not a JWK")
        /// It is protected by a password.
        public static let encrypted = Problem(description: "encrypted")
        /// It is a public key, or a certificate.
        public static let notPrivate = Problem(description: "not a private key")
        /// It is of a kind, on a curve or for an algorithm that is not known here.
        public static let unsupported = Problem(description: "unsupported")
        /// The key cannot be used with the algorithm that was asked for.
        public static let otherAlgorithm = Problem(description: "for another algorithm")
        /// The public half of it belongs to another key.
        public static let mismatched = Problem(description: "mismatched halves")
        /// RSA with fewer than 2048 bits (RFC 7518 §3.3).
        public static let tooShort = Problem(description: "too short")
        /// A part of it is missing, or makes no sense.
        public static let malformed = Problem(description: "malformed")
    }

    public let problem: Problem
    /// One sentence more, for people; never a secret.
    public let detail: String?

    public init(_ problem: Problem, detail: String? = nil) {
        self.problem = problem
        self.detail = detail
    }
}

extension SigningKeyError: CustomStringConvertible {
    public var description: String { "signing key: \(problem); \(detail ?? advice)" }

    private var advice: String {
        switch problem {
        case .notPEM: "pass the whole text of the file, with its first and last line"
        case .notJWK: "pass one JSON object with a kty, not a set of keys"
        case .encrypted: "take the password off first, for instance with openssl pkey"
        case .notPrivate: "pass the private key; the server has the public one"
        case .unsupported: "use P-256, Ed25519, or RSA"
        case .otherAlgorithm: "leave the algorithm out, or use another key"
        case .tooShort: "make a key of 2048 bits or more"
        default: "make the key anew"
        }
    }
}
