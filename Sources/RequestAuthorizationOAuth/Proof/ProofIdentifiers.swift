// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Makes a different `jti` for each proof (RFC 9449 §4.2): 128 random bits, which are unique, and a number.
///
/// New random bits for each proof would take a twentieth of the time of its signature.
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
