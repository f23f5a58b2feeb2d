// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Which token is to be given for which (RFC 8693 §2.1).
public struct TokenExchange: Sendable, Hashable, RedactedDescription {
    /// The token of whom the new one is for.
    public var subject: SecurityToken
    /// The token of who acts for him; `nil` if the new token is simply his.
    public var actor: SecurityToken?
    /// What is wanted; the server's choice if it is `nil`.
    public var requestedType: SecurityTokenType?
    /// Where the new token is to be used, as absolute URIs.
    public var resources: [String]
    /// The same, in names that the server knows.
    public var audiences: [String]
    public var scopes: Set<String>

    public init(
        subject: SecurityToken, actor: SecurityToken? = nil, requestedType: SecurityTokenType? = nil,
        resources: [String] = [], audiences: [String] = [], scopes: Set<String> = []
    ) {
        self.subject = subject
        self.actor = actor
        self.requestedType = requestedType
        self.resources = resources
        self.audiences = audiences
        self.scopes = scopes
    }
}

extension TokenExchange {
    /// What the request says.
    ///
    /// - Throws: `InvalidTokenRequest`.
    func parameters(_ quirks: ServerQuirks) throws -> [(name: String, value: String)] {
        guard !subject.text.isEmpty, actor?.text.isEmpty != true else {
            throw InvalidTokenRequest(parameter: "subject_token", detail: "or actor_token is empty: pass a token")
        }
        var parameters = try ResourceIndicator.parameters(resources)
        parameters += audiences.map { (name: "audience", value: $0) }
        if !scopes.isEmpty { parameters.append((name: "scope", value: quirks.text(of: scopes))) }
        if let requestedType { parameters.append((name: "requested_token_type", value: requestedType.uri)) }
        parameters += [
            (name: "subject_token", value: subject.text), (name: "subject_token_type", value: subject.type.uri),
        ]
        // RFC 8693 §2.1: the type if and only if there is an actor's token.
        if let actor {
            parameters += [
                (name: "actor_token", value: actor.text), (name: "actor_token_type", value: actor.type.uri),
            ]
        }
        return parameters
    }
}
