// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The codes that sign-ins ended with and that wait to be exchanged, each once, within ten minutes (RFC 6749 §4.1.2).
struct AuthorizationCodes: Sendable {
    private var issuedAt: [String: Date] = [:]
    private var secrets: SecretSource
    private let lifetime: TimeInterval = 600

    init(secrets: SecretSource = SecretSource()) { self.secrets = secrets }

    mutating func issue(at now: Date) -> String {
        let code = secrets.next()
        issuedAt[code] = now
        return code
    }

    /// Uses a code up.
    ///
    /// - Returns: whether it was good.
    mutating func redeem(_ code: String, at now: Date) -> Bool {
        guard let issued = issuedAt.removeValue(forKey: code) else { return false }
        return now < issued + lifetime
    }
}
