// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What one sign-in began: a line of refresh tokens, a line of access tokens.
struct Family: Sendable {
    struct Access: Sendable {
        let expiresAt: Date
        var isRevoked = false
    }

    private(set) var newestRefreshToken: String
    private(set) var refreshGeneration = 0
    private(set) var rotatedAt: Date?
    /// Refresh tokens that were presented, by generation; where they stay, only after the end.
    var presented: Set<Int> = []
    /// Refresh tokens whose last answer did not reach the client.
    var lostAnswers: Set<Int> = []
    var access: [Access] = []
    var hasEnded = false

    init(newestRefreshToken: String) { self.newestRefreshToken = newestRefreshToken }

    mutating func rotate(to refreshToken: String, at now: Date) {
        newestRefreshToken = refreshToken
        refreshGeneration += 1
        rotatedAt = now
    }

    mutating func revokeAccess() {
        for index in access.indices { access[index].isRevoked = true }
    }

    func newestAccess(hasLeft share: Double, of lifetime: TimeInterval, at now: Date) -> Bool {
        guard let newest = access.last, !newest.isRevoked else { return false }
        return now < newest.expiresAt - lifetime * share
    }
}
