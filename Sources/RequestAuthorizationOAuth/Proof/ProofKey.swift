// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The private key that a token is bound to, or the Secure Enclave's reference to it.
///
/// It is a secret, and its description contains no part of it. The library makes it and keeps it with its token.
public struct ProofKey: Sendable, Hashable, Codable, RedactedDescription {
    enum Kind: String, Codable {
        /// The 32 bytes of a key on P-256.
        case p256
        /// A reference that only the Secure Enclave that made it can use.
        case secureEnclave
    }

    let kind: Kind
    let bytes: Data

    /// Whether the key cannot leave this device.
    public var isBoundToDevice: Bool { kind == .secureEnclave }
}
