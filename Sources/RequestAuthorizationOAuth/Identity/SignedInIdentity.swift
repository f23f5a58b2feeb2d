// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Who signed in, as the ID token of the sign-in says (OpenID Connect Core §2).
///
///     let token = try await service.signIn(scopes: ["email"], identity: true, through: .loopback) { open($0) }
///     print(token.identity?.subject ?? "")
///
/// The claims are validated (§3.1.3.7). Their signature is not: they came over TLS from the token endpoint itself, and
/// point 6 allows to rely on that. So they are **no proof for anybody else**: do not pass the token on as one.
public struct SignedInIdentity: Sendable, Hashable, Codable, RedactedDescription {
    /// The server that says so, `iss`. Only together with it the subject is unique.
    public let issuer: String
    /// The person at this server, `sub`; it never changes and is never given to another person.
    public let subject: String
    /// All claims of the ID token of the sign-in, such as `email`; a refresh does not change them.
    public let claims: [String: JSONValue]
}

/// What a sign-in asked of the ID token.
package struct IdentityRequest: Sendable, Hashable, Codable, RedactedDescription {
    /// The issuer, to which the token endpoint belongs.
    var issuer: String
    /// The random text that binds the ID token to the sign-in; `nil` for a sign-in on another device.
    var nonce: String?
    /// How long ago the person may have proven who they are, in seconds.
    var maximumAge: Int64?
    /// The accepted ways of that proof; none if any is accepted.
    var contexts: [String] = []
}

extension SignedInIdentity {
    /// The length of an ID token with all its claims, in bytes.
    private static let longest = 64 << 10
    /// How much the two clocks may differ, in seconds.
    private static let tolerance = 300.0

    /// Validates the ID token of a sign-in (§3.1.3.7; the numbers are those of its points).
    ///
    /// - Throws: ``IdentityTokenError`` that names the claim.
    init(
        _ token: String?, for client: OAuthClient, request: IdentityRequest, at now: Date
    ) throws(IdentityTokenError) {
        let claims = try Self.claims(of: token)
        func check(_ name: String, _ isGood: Bool) throws(IdentityTokenError) {
            if !isGood { throw IdentityTokenError(.claim, claim: name) }
        }
        try check("iss", Self.same(claims.text("iss"), request.issuer))  // 2
        let audiences = claims.texts("aud")
        let others = audiences.filter { !Self.same($0, client.id) }
        try check("aud", audiences.count > others.count)  // 3
        try check("aud", others.allSatisfy { other in client.trustedAudiences.contains { Self.same($0, other) } })
        let isParty = Self.same(claims.text("azp"), client.id)
        try check("azp", claims.value("azp") == nil ? others.isEmpty : isParty)  // 4, 5
        try check("exp", claims.date("exp").map { $0 > now.addingTimeInterval(-Self.tolerance) } ?? false)  // 9
        try check("iat", claims.date("iat").map { $0 < now.addingTimeInterval(Self.tolerance) } ?? false)  // 10
        if let nonce = request.nonce { try check("nonce", Self.same(claims.text("nonce"), nonce)) }  // 11
        if !request.contexts.isEmpty {
            try check("acr", claims.text("acr").map { request.contexts.contains($0) } ?? false)  // 12
        }
        if let age = request.maximumAge {  // 13
            let earliest = now.addingTimeInterval(-Double(age) - Self.tolerance)
            try check("auth_time", claims.date("auth_time").map { $0 >= earliest } ?? false)
        }
        let subject = claims.text("sub")
        try check("sub", subject.map { $0.utf8.count <= 255 } ?? false)  // §2
        self.init(issuer: request.issuer, subject: subject ?? "", claims: claims.members)
    }

    /// Compares the ID token of a refresh with that of the sign-in (§12.2).
    ///
    /// - Parameter server: the one that answered, which may have another name by now.
    /// - Returns: whether it may take the place of the former one. If not, the session goes on without it.
    /// - Throws: ``IdentityTokenError`` that ends the session if the answer is about somebody else, or for another
    ///   client: the tokens of the answer are not this session's, and the refresh token is spent.
    func isRenewed(by token: String, of server: AuthorizationServer, at now: Date) throws(IdentityTokenError) -> Bool {
        guard let new = try? Self.claims(of: token), let subject = new.text("sub"), let issuer = new.text("iss") else {
            return false
        }
        if !Self.same(subject, self.subject) { throw IdentityTokenError(.otherPerson, claim: "sub") }
        let isRenamed = Self.same(server.issuer, issuer) && server.formerIssuers.contains { Self.same($0, self.issuer) }
        guard isRenamed || Self.same(issuer, self.issuer) else { throw IdentityTokenError(.otherPerson, claim: "iss") }
        guard new.value("aud") != nil, Self.audiences(new.value("aud")) == Self.audiences(claims["aud"]) else {
            throw IdentityTokenError(.otherPerson, claim: "aud")
        }
        guard new.value("azp") == claims["azp"], let end = new.date("exp"), let start = new.date("iat") else {
            return false
        }
        let isOriginal = ["auth_time", "nonce"].allSatisfy { new.value($0) == nil || new.value($0) == claims[$0] }
        return isOriginal && end > now.addingTimeInterval(-Self.tolerance)
            && start < now.addingTimeInterval(Self.tolerance)
    }

    /// When an ID token expires, as it says itself.
    static func end(of token: String) -> Date? { (try? claims(of: token))?.date("exp") }

    // MARK: -

    /// Compares two texts by bytes: `==` takes two spellings of an accented letter for one name.
    private static func same(_ one: String?, _ other: String) -> Bool {
        one?.utf8.elementsEqual(other.utf8) ?? false
    }

    /// The bytes of each audience.
    private static func audiences(_ value: JSONValue?) -> Set<[UInt8]>? {
        let texts = value?.text.map { [$0] } ?? value?.texts
        return texts.map { Set($0.map { Array($0.utf8) }) }
    }

    private static func claims(of token: String?) throws(IdentityTokenError) -> AnswerObject {
        guard let token else { throw IdentityTokenError(.missing) }
        guard token.utf8.count <= longest else { throw IdentityTokenError(.tooLong) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        // RFC 7516 §7.1: it is encrypted, and was not asked for.
        if parts.count == 5 { throw IdentityTokenError(.encrypted) }
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ JSONMembers($0) }),
            // RFC 7515 §4.1.11: what is critical must be understood, and no extension is.
            header.form == .whole, header.members["crit"] == nil, let body = Base64URL.decode(parts[1]),
            let claims = try? AnswerObject(TokenResponse(statusCode: 200, body: body)), claims.isWhole,
            // Two readers could see two persons.
            claims.repeated.isEmpty, claims.damaged.isEmpty,
            claims.value("aud") == nil || audiences(claims.value("aud")) != nil
        else { throw IdentityTokenError(.malformed) }
        return claims
    }
}
