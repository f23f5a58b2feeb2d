// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// What an authorization server says of a token (RFC 7662 §2.2).
///
///     let answer = try await service.introspect(token)
///     guard answer.isActive else { … }
///
/// Only ``isActive`` is sure to be there, and where it is `false` nothing else is read. Nothing here is cached; if you do, not
/// beyond ``cacheableUntil(from:atMost:)``: a token may be revoked at any time (§4).
public struct TokenIntrospection: Sendable, Hashable {
    /// Whether the token is good now, here, for whoever asked.
    public let isActive: Bool
    public let scopes: Set<String>
    public let clientID: String?
    public let username: String?
    public let tokenType: String?
    public let expiresAt: Date?
    public let issuedAt: Date?
    /// From when on the token is good.
    public let notBefore: Date?
    public let subject: String?
    public let audience: [String]
    public let issuer: String?
    /// `jti`, the token's own name.
    public let tokenID: String?
    /// The members that have no place here.
    public let additionalMembers: [String: JSONValue]

    /// How long the answer may be kept: to the token's end, and no longer than you say (RFC 7662 §4).
    ///
    /// - Parameters:
    ///   - date: when the answer came.
    ///   - limit: how long a token that was revoked meanwhile may still pass.
    public func cacheableUntil(from date: Date, atMost limit: Duration) -> Date {
        min(expiresAt ?? .distantFuture, date.addingTimeInterval(max(0, limit / .seconds(1))))
    }
}

extension TokenIntrospection {
    /// - Throws: `InvalidTokenResponse` for the field `active`, without which the answer says nothing.
    init(_ answer: AnswerObject, quirks: ServerQuirks) throws {
        guard let active = answer.members["active"], active != .null else {
            throw InvalidTokenResponse(status: answer.status, field: "active", problem: .missing)
        }
        guard case .bool(let isActive) = active else {
            throw InvalidTokenResponse(status: answer.status, field: "active", problem: .malformed)
        }
        // §2.2: of a token that is not active nothing more should be said; what is said all the same counts for nothing.
        let answer = isActive ? answer : AnswerObject(status: answer.status, members: [:])
        self.init(
            isActive: isActive, scopes: answer.text("scope").map(quirks.scopes) ?? [],
            clientID: answer.text("client_id"), username: answer.text("username"),
            tokenType: answer.text("token_type"), expiresAt: answer.date("exp"), issuedAt: answer.date("iat"),
            notBefore: answer.date("nbf"), subject: answer.text("sub"), audience: answer.texts("aud"),
            issuer: answer.text("iss"), tokenID: answer.text("jti"),
            additionalMembers: answer.members.filter { !Self.known.contains($0.key) })
    }

    private static let known: Set = [
        "active", "scope", "client_id", "username", "token_type", "exp", "iat", "nbf", "sub", "aud", "iss", "jti",
    ]
}

/// A user's name, and members that nobody knows.
extension TokenIntrospection: RedactedDescription {
    public var description: String { "TokenIntrospection(isActive: \(isActive), [redacted])" }
}
