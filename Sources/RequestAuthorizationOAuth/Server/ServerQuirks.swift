// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The differences of an authorization server from the standards, as data.
///
///     let quirks = ServerQuirks(scopeSeparators: [","], errorKinds: ["bad_refresh_token": .terminal])
public struct ServerQuirks: Sendable, Hashable {
    /// The separators of scopes: the first one is sent, all of them are read; a space by default (RFC 6749 §3.3).
    public var scopeSeparators: [String]
    /// The meaning of the server's own error codes, and of standard codes that it uses differently.
    ///
    /// With the status 429 or 5xx they do not count.
    public var errorKinds: [String: TokenFailureKind]
    /// The statuses that end a session if the body is empty; none by default.
    ///
    /// They are for servers that refuse a dead refresh token without an OAuth error. 429 and 5xx never end a session.
    public var sessionEndingStatuses: Set<Int>
    /// How long after the sign-in refresh tokens expire, if the server's answers do not say so.
    public var refreshTokenLifetime: Duration?
    /// How the user ends the client's access if there is no revocation, for instance where to remove the app.
    public var signOutAdvice: String?
    /// Whether revocation works only for clients that authenticate. A public client then sends no revocation.
    public var refusesPublicRevocation: Bool
    /// The server's own words for `Bearer` as `token_type`, such as `BearerToken`; none by default.
    ///
    /// Case and blanks around a word do not count. A token of any other type is refused (RFC 6749 §7.1).
    public var bearerTypes: Set<String>
    /// Where an answer has its error code; the member `error` by default (RFC 6749 §5.2).
    ///
    /// A path has dots: `error.code` for `{"error":{"code":"invalid_grant"}}`. If there is no code, `error` is read.
    public var errorMember: String
    /// Whether a sign-in needs `S256` in the list of the server's challenge methods (RFC 8414 §2), if there is a list.
    ///
    /// It is `true` by default: without PKCE a stolen code is useful. Set `false` for a server that does check
    /// challenges with S256, although its list lacks it. A server without a list is never refused.
    public var requiresListedPKCE: Bool
    /// Whether a client that authenticates with Basic sends its `client_id` in the body too; `false` by default.
    ///
    /// It is for servers that refuse Basic without it; set it for a server that you know. Others refuse a request that
    /// has both (RFC 6749 §2.3: one way of authentication in a request).
    public var sendsClientIDBesideBasic: Bool
    /// What the client declares in the parameter `claims` of each authorization and token request; `nil`, the default, for
    /// servers that are not known to take it.
    ///
    /// A server that takes it also gets the claims that a resource demands, merged with these. An empty object declares
    /// nothing.
    public var claims: [String: JSONValue]?

    public init(
        scopeSeparators: [String] = [" "], errorKinds: [String: TokenFailureKind] = [:],
        sessionEndingStatuses: Set<Int> = [], refreshTokenLifetime: Duration? = nil, signOutAdvice: String? = nil,
        refusesPublicRevocation: Bool = false, bearerTypes: Set<String> = [], errorMember: String = "error",
        requiresListedPKCE: Bool = true, sendsClientIDBesideBasic: Bool = false, claims: [String: JSONValue]? = nil
    ) {
        (self.scopeSeparators, self.errorKinds) = (scopeSeparators, errorKinds)
        (self.sessionEndingStatuses, self.refreshTokenLifetime) = (sessionEndingStatuses, refreshTokenLifetime)
        (self.signOutAdvice, self.refusesPublicRevocation) = (signOutAdvice, refusesPublicRevocation)
        (self.bearerTypes, self.errorMember, self.requiresListedPKCE) = (bearerTypes, errorMember, requiresListedPKCE)
        (self.sendsClientIDBesideBasic, self.claims) = (sendsClientIDBesideBasic, claims)
    }
}

extension ServerQuirks {
    /// The kind of a failure at this server; `nil` if it is the same as at other servers.
    func kind(status: Int, code: String?, isBodyEmpty: Bool) -> TokenFailureKind? {
        if TokenEndpointError.isPassing(status: status) { return nil }
        if let code { return errorKinds[code] }
        return isBodyEmpty && sessionEndingStatuses.contains(status) ? .terminal : nil
    }

    /// Whether a type is one of the server's words for `Bearer`.
    func isBearer(_ type: String) -> Bool {
        let word = Self.word(type)
        return bearerTypes.contains { Self.word($0) == word }
    }

    private static func word(_ text: String) -> String {
        String(text.asciiLowercased.split(separator: " ").joined(separator: " "))
    }

    /// Joins scopes with the server's separator, sorted; their order has no meaning (RFC 6749 §3.3).
    package func text(of scopes: Set<String>) -> String {
        scopes.sorted().joined(separator: scopeSeparators.first ?? " ")
    }

    /// The parameter `scope`; none if there are no scopes, so that the server chooses.
    func parameters(of scopes: Set<String>) -> [(name: String, value: String)] {
        scopes.isEmpty ? [] : [(name: "scope", value: text(of: scopes))]
    }

    /// The parameter `claims` with what a resource demands; none for a server that is not known to take it.
    ///
    /// - Parameters:
    ///   - demanded: the text of a JSON object. Any other text is not sent.
    ///   - isTaken: whether the server takes the parameter for another reason.
    func claims(with demanded: String?, isTaken: Bool = false) -> [(name: String, value: String)] {
        guard claims != nil || isTaken else { return [] }
        var all = JSONValue.object(claims ?? [:])
        if let demanded = demanded.flatMap({ JSONValue(json: Array($0.utf8)[...]) }), case .object = demanded {
            all = all.merged(with: demanded)
        }
        guard all != .object([:]), let text = try? JSONEncoder.sorted.encode(all) else { return [] }
        return [(name: "claims", value: String(decoding: text, as: UTF8.self))]
    }

    /// Splits a text of the server into scopes.
    package func scopes(in text: String) -> Set<String> {
        let separators = scopeSeparators.filter { !$0.isEmpty }
        let pieces = separators.reduce([text]) { pieces, separator in
            pieces.flatMap { $0.split(separator: separator).map(String.init) }
        }
        return Set(pieces.filter { !$0.isEmpty })
    }
}

// MARK: - Coding

extension ServerQuirks: Codable {
    private enum CodingKeys: String, CodingKey {
        case scopeSeparators, errorKinds, sessionEndingStatuses, refreshTokenLifetime, signOutAdvice,
            refusesPublicRevocation, bearerTypes, errorMember, requiresListedPKCE, sendsClientIDBesideBasic, claims
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            scopeSeparators: try values.decodeIfPresent([String].self, forKey: .scopeSeparators) ?? [" "],
            errorKinds: try values.decodeIfPresent([String: TokenFailureKind].self, forKey: .errorKinds) ?? [:],
            sessionEndingStatuses: try values.decodeIfPresent(Set<Int>.self, forKey: .sessionEndingStatuses) ?? [],
            refreshTokenLifetime: try values.decodeIfPresent(Double.self, forKey: .refreshTokenLifetime)
                .flatMap { Duration(wholeSeconds: $0) },
            signOutAdvice: try values.decodeIfPresent(String.self, forKey: .signOutAdvice),
            refusesPublicRevocation: try values.decodeIfPresent(Bool.self, forKey: .refusesPublicRevocation) ?? false,
            bearerTypes: try values.decodeIfPresent(Set<String>.self, forKey: .bearerTypes) ?? [],
            errorMember: try values.decodeIfPresent(String.self, forKey: .errorMember) ?? "error",
            requiresListedPKCE: try values.decodeIfPresent(Bool.self, forKey: .requiresListedPKCE) ?? true,
            sendsClientIDBesideBasic: try values.decodeIfPresent(Bool.self, forKey: .sendsClientIDBesideBasic)
                ?? false, claims: try values.decodeIfPresent([String: JSONValue].self, forKey: .claims))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(scopeSeparators, forKey: .scopeSeparators)
        try values.encode(errorKinds, forKey: .errorKinds)
        try values.encode(sessionEndingStatuses.sorted(), forKey: .sessionEndingStatuses)
        try values.encodeIfPresent(refreshTokenLifetime.map { $0 / .seconds(1) }, forKey: .refreshTokenLifetime)
        try values.encodeIfPresent(signOutAdvice, forKey: .signOutAdvice)
        try values.encode(refusesPublicRevocation, forKey: .refusesPublicRevocation)
        if !bearerTypes.isEmpty { try values.encode(bearerTypes.sorted(), forKey: .bearerTypes) }
        if errorMember != "error" { try values.encode(errorMember, forKey: .errorMember) }
        if !requiresListedPKCE { try values.encode(false, forKey: .requiresListedPKCE) }
        if sendsClientIDBesideBasic { try values.encode(true, forKey: .sendsClientIDBesideBasic) }
        try values.encodeIfPresent(claims, forKey: .claims)
    }
}
