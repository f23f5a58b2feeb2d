// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Names proofs, each with another `jti` (RFC 9449 §4.2): 128 random bits, which nobody else has, and a number.
///
/// To ask the system for random bits for each proof takes a twentieth of what its signature takes.
final class ProofIdentifiers: Sendable {
    private let prefix = JSONWebToken.makeIdentifier()
    private let count = Lock(0)

    func next() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(prefix).\(number)"
    }
}
