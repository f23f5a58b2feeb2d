// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The answer of an authorization server about a token (RFC 7662 §2.2).
///
///     let answer = try await service.introspect(token)
///     guard answer.isActive else { … }
///
/// Only ``isActive`` is always present. If it is `false`, the other members are not read. Answers are not cached. If
/// you cache them, observe ``cacheableUntil(from:atMost:)``: a token may be revoked at any time (§4).
public struct TokenIntrospection: Sendable, Hashable {
    /// Whether the token is valid now, for the resource server that asked.
    public let isActive: Bool
    /// What the token may be used for; empty if the server did not say.
    public let scopes: Set<String>
    /// `client_id`, the client that the token was issued to.
    public let clientID: String?
    /// A name of the user for people, not an identifier.
    public let username: String?
    /// `token_type`, such as `Bearer`.
    public let tokenType: String?
    /// `exp`, when the token expires; `nil` if the server did not say.
    public let expiresAt: Date?
    /// `iat`, when the token was issued.
    public let issuedAt: Date?
    /// From when on the token is valid.
    public let notBefore: Date?
    /// `sub`, for most tokens the user. It is unique at the issuer only.
    public let subject: String?
    /// `aud`, the services that the token is for; empty if the server did not say.
    public let audience: [String]
    /// `iss`, the server that issued the token.
    public let issuer: String?
    /// `jti`, the token's identifier.
    public let tokenID: String?
    /// The members of the answer that have no property.
    public let additionalMembers: [String: JSONValue]

    /// Until when the answer may be cached: the token's expiry or your limit, whichever comes first (RFC 7662 §4).
    ///
    /// - Parameters:
    ///   - date: when the answer came.
    ///   - limit: how long a token that was revoked meanwhile may still be accepted.
    public func cacheableUntil(from date: Date, atMost limit: Duration) -> Date {
        min(expiresAt ?? .distantFuture, date.addingTimeInterval(max(0, limit / .seconds(1))))
    }
}

extension TokenIntrospection {
    /// A time is a number of seconds. A scope or an audience is a text or a list of texts.
    ///
    /// - Throws: `InvalidTokenResponse` if the field `active` is missing or malformed, or if another known one is.
    init(_ answer: AnswerObject, quirks: ServerQuirks) throws {
        try answer.check(["active"])
        guard case .bool(let isActive) = answer.value("active") else { throw answer.problem("active") }
        // A damaged date or scope must not count as absent: the token could be accepted for longer, or for more.
        if isActive {
            try answer.check(Self.known)
            for name in ["aud", "exp", "iat", "nbf", "scope"] where !Self.isSound(name, in: answer) {
                throw answer.invalid(name, .malformed)
            }
        }
        // §2.2: the answer should contain nothing more about an inactive token. Other members are ignored.
        let answer = try isActive ? answer : AnswerObject(TokenResponse(statusCode: 200, body: Array("{}".utf8)))
        self.init(
            isActive: isActive, scopes: answer.scopes(quirks) ?? [],
            clientID: answer.text("client_id"), username: answer.text("username"),
            tokenType: answer.text("token_type"), expiresAt: answer.date("exp"), issuedAt: answer.date("iat"),
            notBefore: answer.date("nbf"), subject: answer.text("sub"), audience: answer.texts("aud"),
            issuer: answer.text("iss"), tokenID: answer.text("jti"),
            additionalMembers: answer.members.filter { !Self.known.contains($0.key) })
    }

    /// Whether a member is missing or `null`, or has a value that can be read whole.
    private static func isSound(_ name: String, in answer: AnswerObject) -> Bool {
        switch answer.value(name) {
        case nil, .null: true
        case let value? where name == "aud" || name == "scope":
            // Some servers list the scopes.
            if case .string = value { true } else { value.texts != nil }
        default: answer.date(name) != nil
        }
    }

    private static let known: Set = [
        "active", "scope", "client_id", "username", "token_type", "exp", "iat", "nbf", "sub", "aud", "iss", "jti",
    ]
}

/// Redacted because it contains a user's name and unknown members.
extension TokenIntrospection: OwnDescription {
    @usableFromInline package var ownDescription: String { "TokenIntrospection(isActive: \(isActive), [redacted])" }
}
