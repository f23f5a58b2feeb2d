// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The tokens of an exchange, and the properties of the new token (RFC 8693 §2.1).
public struct TokenExchange: Sendable, Hashable, RedactedDescription {
    package var subject: SecurityToken
    package var actor: SecurityToken?
    package var requestedType: SecurityTokenType?
    package var resources: [String]
    package var audiences: [String]
    package var scopes: Set<String>

    /// Creates the request of an exchange.
    ///
    /// - Parameters:
    ///   - subject: the token of the subject, on whose behalf the new token is requested.
    ///   - actor: the token of the actor, who acts for the subject; `nil` if there is none.
    ///   - requestedType: the kind of the new token; if it is `nil`, the server chooses.
    ///   - resources: the APIs that the new token is for, as absolute URIs.
    ///   - audiences: the APIs that the new token is for, as names that the server knows.
    ///   - scopes: the scopes of the new token.
    public init(
        subject: SecurityToken, actor: SecurityToken? = nil, requestedType: SecurityTokenType? = nil,
        resources: [String] = [], audiences: [String] = [], scopes: Set<String> = []
    ) {
        (self.subject, self.actor, self.requestedType) = (subject, actor, requestedType)
        (self.resources, self.audiences, self.scopes) = (resources, audiences, scopes)
    }

    /// The parameters of the request.
    ///
    /// - Throws: `InvalidTokenRequest` if a token is empty or a resource is not an absolute URI.
    func parameters(_ quirks: ServerQuirks) throws -> [(name: String, value: String)] {
        guard !subject.text.isEmpty, actor?.text.isEmpty != true else {
            throw InvalidTokenRequest(parameter: "subject_token", detail: "or actor_token is empty: pass a token")
        }
        var parameters = try ResourceIndicator.parameters(resources)
        parameters += audiences.map { (name: "audience", value: $0) }
        parameters += quirks.parameters(of: scopes)
        if let requestedType { parameters.append((name: "requested_token_type", value: requestedType.uri)) }
        parameters.append((name: "subject_token", value: subject.text))
        parameters.append((name: "subject_token_type", value: subject.type.uri))
        // RFC 8693 §2.1: the type if and only if there is an actor's token.
        if let actor {
            parameters.append((name: "actor_token", value: actor.text))
            parameters.append((name: "actor_token_type", value: actor.type.uri))
        }
        return parameters
    }
}

/// A token with its kind.
public struct SecurityToken: Sendable, Hashable, RedactedDescription {
    package let text: String
    package let type: SecurityTokenType

    /// A token of any kind. For the usual ones there are ``accessToken(_:)`` and ``idToken(_:)``.
    public init(_ text: String, type: SecurityTokenType) { (self.text, self.type) = (text, type) }

    /// An access token of an OAuth server.
    public static func accessToken(_ text: String) -> SecurityToken { SecurityToken(text, type: .accessToken) }
    /// A refresh token of the server that exchanges it, for a server that accepts its own as a log-in.
    package static func refreshToken(_ text: String) -> SecurityToken { SecurityToken(text, type: .refreshToken) }
    /// An id token of OpenID Connect.
    public static func idToken(_ text: String) -> SecurityToken { SecurityToken(text, type: .idToken) }
    package static func jwt(_ text: String) -> SecurityToken { SecurityToken(text, type: .jwt) }
}

/// The kind of a token (RFC 8693 §3).
public struct SecurityTokenType: Sendable, Hashable, Labelled {
    /// The URI of the kind.
    package let uri: String
    @usableFromInline package var label: String { uri }

    public init(uri: String) { self.uri = uri }

    private init(_ name: String) { uri = "urn:ietf:params:oauth:token-type:\(name)" }

    public static let accessToken = SecurityTokenType("access_token")
    package static let refreshToken = SecurityTokenType("refresh_token")
    public static let idToken = SecurityTokenType("id_token")
    /// Any JWT.
    public static let jwt = SecurityTokenType("jwt")
    /// An identity assertion authorization grant ("ID-JAG"): one company's log-in, for another company's server.
    ///
    /// ``OAuthTokenService/identityAssertion(from:server:client:authentication:proof:scopes:transport:clock:subject:)``
    /// gets it and uses it.
    public static let idJAG = SecurityTokenType("id-jag")
}
