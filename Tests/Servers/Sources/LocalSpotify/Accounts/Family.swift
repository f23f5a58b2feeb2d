// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The refresh tokens and access tokens of one sign-in.
struct Family: Sendable {
    struct Access: Sendable {
        let issuedAt: Date
        let expiresAt: Date
        let scopes: Set<String>
        var isRevoked = false
    }

    /// Why the family is over.
    enum End: Hashable, Sendable {
        /// A spent refresh token or a used code was presented again, or the server ended the family.
        case lost
        /// The client revoked it.
        case signedOut
    }

    let grant: Grant
    let began: Date
    /// `nil` if the client gets no refresh token (RFC 6749 §4.4.3).
    private(set) var newestRefreshToken: String?
    private(set) var refreshGeneration = 0
    private(set) var rotatedAt: Date?
    /// The generations of the refresh tokens that were presented. Without rotation it is filled only after the end.
    var presented: Set<Int> = []
    /// The generations of the refresh tokens whose last answer did not reach the client.
    var lostAnswers: Set<Int> = []
    var access: [Access] = []
    var end: End?

    var hasEnded: Bool { end != nil }

    init(_ grant: Grant, newestRefreshToken: String?, at now: Date) {
        self.grant = grant
        self.newestRefreshToken = newestRefreshToken
        began = now
    }

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
