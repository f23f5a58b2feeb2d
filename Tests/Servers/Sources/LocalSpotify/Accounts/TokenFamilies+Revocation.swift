// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

extension TokenFamilies {
    /// Revokes a token: a refresh token with its whole sign-in, an access token alone (RFC 7009 §2.1).
    ///
    /// - Returns: `false` if the token belongs to another client; `true` also if it is unknown.
    mutating func revoke(_ token: String, for client: String) -> Bool {
        guard let place = place(of: token) else { return true }
        guard families[place.family].grant.clientID ?? client == client else { return false }
        if place.isRefreshToken {
            if !families[place.family].hasEnded { families[place.family].end = .signedOut }
        } else {
            families[place.family].access[place.generation].isRevoked = true
        }
        return true
    }

    /// - Returns: `nil` for a token that is not active.
    func introspection(of token: String, at now: Date) -> Introspection? {
        guard let place = place(of: token) else { return nil }
        let family = families[place.family]
        guard place.isRefreshToken else {
            let access = family.access[place.generation]
            guard standing(of: token, at: now) == .valid else { return nil }
            return Introspection(
                family.grant, access.scopes, type: "Bearer", issued: access.issuedAt, expires: access.expiresAt)
        }
        let expiry = policy.refreshTokenLifetime.map { family.began + $0.seconds }
        let isNewest = policy.rotation == .off || place.generation == family.refreshGeneration
        guard !family.hasEnded, isNewest, expiry.map({ now < $0 }) ?? true else { return nil }
        return Introspection(
            family.grant, family.grant.scopes, type: "refresh_token", issued: family.began, expires: expiry)
    }
}

/// The introspection answer for an active token (RFC 7662 §2.2).
struct Introspection: Hashable, Sendable, Encodable {
    let active = true
    let scope: String
    let clientId: String?
    let tokenType: String
    let iat: Int
    let exp: Int?
    let sub: String?
    var username: String?
    var iss: String?

    init(_ grant: Grant, _ scopes: Set<String>, type: String, issued: Date, expires: Date?) {
        scope = Scope.list(scopes)
        clientId = grant.clientID
        tokenType = type
        iat = Int(issued.timeIntervalSince1970)
        exp = expires.map { Int($0.timeIntervalSince1970) }
        sub = grant.hasUser ? Catalogue.userID : nil
    }
}
