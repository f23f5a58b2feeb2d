// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What clients may do with tokens beside using them.
extension AccountsService {
    /// `POST /api/revoke` (RFC 7009 §2).
    mutating func revoke(_ call: Call) throws -> Answer {
        do {
            let client = try authenticated(call)
            if client.isPublic, !families.policy.publicClientsMayRevoke {
                throw Refusal("unauthorized_client", "A client without a secret cannot revoke")
            }
            guard let token = call.form["token"] else { throw Refusal("invalid_request", "token must be supplied") }
            // RFC 7009 §2.1: the token of another client is refused. `token_type_hint` is not needed here.
            guard families.revoke(token, for: client.id) else {
                throw Refusal("invalid_grant", "The token belongs to another client")
            }
            // RFC 7009 §2.2: the same for a token that is not known.
            return Answer(status: 200, fields: Answer.uncached)
        } catch let refusal as Refusal {
            return try refusal.answer
        }
    }

    /// `POST /api/introspect` (RFC 7662 §2): only for clients that can show who they are, so that nobody tries tokens out.
    func introspect(_ call: Call, at now: Date) throws -> Answer {
        do {
            let client = try authenticated(call)
            if client.isPublic { throw Refusal("unauthorized_client", "A client without a secret cannot ask") }
            guard let token = call.form["token"] else { throw Refusal("invalid_request", "token must be supplied") }
            guard var introspection = families.introspection(of: token, at: now) else {
                // RFC 7662 §2.2: no more about a token that is not good.
                return try .json(200, ["active": false], fields: Answer.uncached)
            }
            introspection.iss = call.base
            if introspection.sub != nil { introspection.username = user }
            return try .json(200, introspection, fields: Answer.uncached)
        } catch let refusal as Refusal {
            return try refusal.answer
        }
    }

    /// The client that calls, public or not.
    ///
    /// - Throws: ``Refusal``.
    func authenticated(_ call: Call) throws(Refusal) -> LocalSpotify.Client {
        if call.form.hasRepetition { throw Refusal("invalid_request", "A parameter was sent more than once") }
        switch ClientAuthentication(call, clients: clients) {
        case .client(let client): return client
        case .refused(let refusal): throw refusal
        case .nobody: throw .client("client_id must be supplied", inHeader: false)
        }
    }
}
