// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthToken {
    /// Reads a successful answer (RFC 6749 §5.1).
    ///
    /// A new refresh token is kept even if the access token is invalid, because the old refresh token may no longer be
    /// valid. The access token is empty then, and a provider refreshes without sending it.
    ///
    /// - Parameters:
    ///   - sentAt: when the request was sent, from which lifetimes count.
    ///   - requestedScopes: the scopes of the request, which the token has if the answer names none (§3.3).
    ///   - old: the token that was refreshed, whose values stay if the answer has none (§6).
    ///   - mayBeOfAnyKind: whether a token that is not an access token is accepted (RFC 8693 §2.2.1).
    ///   - proofKey: the key with which the request was proven.
    ///   - allowsBearer: whether a token that is not bound to a key is accepted.
    /// - Throws: `InvalidTokenResponse` that names the field, unless a new refresh token would be lost with it.
    init(
        _ answer: AnswerObject, sentAt: Date, requestedScopes: Set<String>, replacing old: OAuthToken?,
        quirks: ServerQuirks, mayBeOfAnyKind: Bool = false, proofKey: ProofKey? = nil, allowsBearer: Bool = true
    ) throws {
        // Without the refresh token the user would have to sign in again soon: better at once.
        if answer.isCutOff, old == nil, answer.refreshToken == nil { throw answer.invalid("body", .notJSON) }
        let (accessToken, tokenType) = try answer.accessToken(
            replacing: old, quirks, mayBeOfAnyKind, isProven: proofKey != nil, allowsBearer: allowsBearer)
        let lifetime = answer.seconds("expires_in")
        let renewed = answer.refreshToken
        let authorizedAt = old.map(\.authorizedAt) ?? sentAt
        let kept = renewed ?? old?.refreshToken
        var scopes = answer.scopes(quirks) ?? old?.scopes ?? requestedScopes
        // OpenID Connect Core §11: it asks for the refresh token, which is there. Microsoft's answers do not list it.
        if kept != nil, requestedScopes.contains("offline_access") { scopes.insert("offline_access") }
        self.init(
            accessToken: accessToken, refreshToken: kept, tokenType: tokenType, scopes: scopes, lifetime: lifetime,
            expiresAt: lifetime.map { sentAt.addingTimeInterval($0 / .seconds(1)) } ?? .distantFuture,
            authorizedAt: authorizedAt, idToken: answer.text("id_token") ?? old?.idToken,
            additionalMembers: answer.unknownMembers(replacing: old?.additionalMembers ?? [:]), proofKey: proofKey)
        guard refreshToken != nil else { return }
        // The first name is of draft-ietf-oauth-refresh-token-expiration, the others are older. They count for the refresh
        // token of the request if the answer has none.
        let names = ["refresh_token_timeout", "refresh_token_expires_in", "refresh_expires_in"]
        let announced = names.lazy.compactMap { answer.seconds($0) }.first
        // An answer without it says nothing: the authorization has not become longer.
        authorizationExpiresAt =
            answer.seconds("authorization_expires_in").map { sentAt.advanced(by: $0) }
            ?? old?.authorizationExpiresAt
        if let announced {
            refreshTokenExpiresAt = sentAt.advanced(by: announced)
        } else if let preset = quirks.refreshTokenLifetime, let authorizedAt {
            // Counted from the sign-in: a refresh does not extend it.
            refreshTokenExpiresAt = authorizedAt.advanced(by: preset)
            authorizationExpiresAt = authorizationExpiresAt ?? refreshTokenExpiresAt
        } else {
            refreshTokenExpiresAt = renewed == nil ? old?.refreshTokenExpiresAt : nil
        }
    }
}

extension Date {
    fileprivate func advanced(by duration: Duration) -> Date { addingTimeInterval(duration / .seconds(1)) }
}

extension AnswerObject {
    private static let known: Set = [
        "access_token", "refresh_token", "token_type", "scope", "expires_in", "refresh_token_expires_in",
        "refresh_expires_in", "refresh_token_timeout", "authorization_expires_in", "id_token",
    ]

    /// Whether the answer is an error, which some servers send with status 200. A damaged result is no error.
    func isError(_ quirks: ServerQuirks) -> Bool {
        guard errorCode(quirks) != nil, !damaged.contains(result), !repeated.contains(result) else { return false }
        // An introspection may say why a token is not active.
        return purpose == .introspection ? value(result) == nil : text(result) == nil
    }

    /// The member with what was asked for.
    private var result: String {
        switch purpose {
        case .deviceAuthorization: "device_code"
        case .pushedRequest: "request_uri"
        case .introspection: "active"
        default: "access_token"
        }
    }

    /// The error code, at the server's own path or in `error`.
    func errorCode(_ quirks: ServerQuirks) -> String? {
        errorCode(at: quirks.errorMember) ?? errorCode(at: "error")
    }

    /// The access token and its type. With a new refresh token, an invalid access token becomes an empty one.
    fileprivate func accessToken(
        replacing old: OAuthToken?, _ quirks: ServerQuirks, _ mayBeOfAnyKind: Bool, isProven: Bool, allowsBearer: Bool
    ) throws -> (token: String, type: String) {
        do {
            return (
                try visibleText("access_token"),
                try tokenType(quirks, mayBeOfAnyKind, isProven: isProven, allowsBearer: allowsBearer)
            )
        } catch {
            guard let old, let renewed = refreshToken, renewed != old.refreshToken else { throw error }
            // An unproven answer must not make the session depend on a key that it does not have.
            return ("", isProven ? text("token_type") ?? "Bearer" : "Bearer")
        }
    }

    /// The type of the token. A token of an unknown type must not be used (RFC 6749 §7.1).
    ///
    /// The type is compared without case (§5.1), and many servers leave it out. If an answer that is cut off does not
    /// have it, it is not known.
    private func tokenType(
        _ quirks: ServerQuirks, _ mayBeOfAnyKind: Bool, isProven: Bool, allowsBearer: Bool
    ) throws -> String {
        if damaged.contains("token_type") || repeated.contains("token_type") || isCutOff && text("token_type") == nil {
            throw problem("token_type")
        }
        let bearer: String
        switch value("token_type") {
        case nil, .null, .string(""): bearer = "Bearer"
        case .string(let type) where type.lowercased() == "bearer": bearer = type
        case .string(let type) where isProven && type.lowercased() == "dpop": return type
        case .string(let type) where quirks.isBearer(type): bearer = "Bearer"
        case .string(let type) where mayBeOfAnyKind && type.uppercased() == OAuthToken.noAccessToken: return type
        case .string: throw invalid("token_type", .unsupported)
        default: throw invalid("token_type", .malformed)
        }
        if isProven, !allowsBearer { throw invalid("token_type", .downgraded) }
        return bearer
    }

    /// The scopes of the answer. A `scope` of another JSON type counts as absent, so that the tokens are not lost.
    func scopes(_ quirks: ServerQuirks) -> Set<String>? {
        if case .string(let text) = value("scope") { return quirks.scopes(in: text) }
        return value("scope")?.texts.map { Set($0) }
    }

    fileprivate func unknownMembers(replacing old: [String: JSONValue]) -> [String: JSONValue] {
        old.merging(members.filter { !Self.known.contains($0.key) }) { $1 }
    }
}
