// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Revocation and introspection of tokens.
extension AccountsService {
    /// `POST /api/revoke` (RFC 7009 §2).
    mutating func revoke(_ call: Call) throws -> Answer {
        do {
            let client = try authenticated(call)
            if client.isPublic, !families.policy.publicClientsMayRevoke {
                throw Refusal("unauthorized_client", "A client without a secret cannot revoke")
            }
            guard let token = call.form["token"] else { throw Refusal("invalid_request", "token must be supplied") }
            // RFC 7009 §2.1: a client cannot revoke the token of another client. `token_type_hint` is not needed here.
            guard families.revoke(token, for: client.id) else {
                throw Refusal("invalid_grant", "The token belongs to another client")
            }
            // RFC 7009 §2.2: an unknown token gets the same answer.
            return Answer(status: 200, fields: Answer.uncached)
        } catch let refusal as Refusal {
            return try refusal.answer
        }
    }

    /// `POST /api/introspect` (RFC 7662 §2). Only authenticated clients may call it, so that attackers cannot test
    /// guessed tokens.
    func introspect(_ call: Call, at now: Date) throws -> Answer {
        do {
            let client = try authenticated(call)
            if client.isPublic { throw Refusal("unauthorized_client", "A client without a secret cannot introspect") }
            guard let token = call.form["token"] else { throw Refusal("invalid_request", "token must be supplied") }
            guard var introspection = families.introspection(of: token, at: now) else {
                // RFC 7662 §2.2: the answer says no more about an inactive token.
                return try .json(200, ["active": false], fields: Answer.uncached)
            }
            introspection.iss = call.base
            if introspection.sub != nil { introspection.username = user }
            return try .json(200, introspection, fields: Answer.uncached)
        } catch let refusal as Refusal {
            return try refusal.answer
        }
    }

    /// Authenticates the client that calls, public or not.
    ///
    /// - Throws: ``Refusal``.
    func authenticated(_ call: Call) throws(Refusal) -> LocalSpotify.Client {
        if call.form.hasRepetition { throw Refusal("invalid_request", "A parameter was sent more than once") }
        switch ClientAuthentication(call, clients: clients) {
        case .client(let client): return client
        case .refused(let refusal): throw refusal
        case .noClient: throw .client("client_id must be supplied", inHeader: false)
        }
    }
}
