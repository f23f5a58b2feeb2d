// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The content of a token store: a token, a tombstone after a sign-out, or a note that the token was moved.
///
/// Its encoded form is flat and stable. `status` is `token`, `signedOut` (without `token`) or `moved` (with `movedTo`).
/// The token's type and the encoder decide the form of the token and of the date:
///
///     {"status":"token","token":{…},"session":"6D1C…","generation":3,"obtainedAt":…}
public struct StoredToken<Token: AuthorizationToken>: Sendable {
    /// The state of the session in the store.
    public enum Content: Sendable {
        /// The token in use.
        case token(Token)
        /// The user signed out: a tombstone. A late token of this session must be neither used nor stored.
        case signedOut
        /// The token was moved to this store, named for people. It must not be used or refreshed from here.
        case moved(to: String)
    }

    /// The token, or why there is none.
    public let content: Content
    /// The session of the token, and its number there.
    public let version: TokenVersion
    /// When the token was requested. With its expiry this gives the lifetime.
    public let obtainedAt: Date

    /// Puts the parts together again, for a store that keeps each of them.
    public init(_ content: Content, version: TokenVersion, obtainedAt: Date) {
        (self.content, self.version, self.obtainedAt) = (content, version, obtainedAt)
    }

    /// The token, if the content is one.
    public var token: Token? { if case .token(let token) = content { token } else { nil } }
}

/// The place of a token in its session. Later tokens have a higher generation.
public struct TokenVersion: Hashable, Sendable, Codable {
    /// The session: from a sign-in to the next sign-in or sign-out.
    public let session: UUID
    /// The number of the token in its session, from 0.
    public let generation: Int

    public init(session: UUID, generation: Int) {
        (self.session, self.generation) = (session, generation)
    }

    /// The version of the successor. A store may return any number.
    package var next: TokenVersion {
        TokenVersion(session: session, generation: max(generation, generation &+ 1))
    }
}

extension StoredToken.Content: Equatable where Token: Equatable {}
extension StoredToken: Equatable where Token: Equatable {}
extension StoredToken.Content: Hashable where Token: Hashable {}
extension StoredToken: Hashable where Token: Hashable {}

extension StoredToken.Content: OwnDescription {
    @usableFromInline package var ownDescription: String {
        switch self {
        case .token: "token([redacted])"
        case .signedOut: "signedOut"
        case .moved(let place): "moved(to: \(place))"
        }
    }
}

extension StoredToken: OwnDescription {
    @usableFromInline package var ownDescription: String { "StoredToken(\(content), generation \(version.generation))" }
}

// MARK: - Coding

extension StoredToken {
    private enum CodingKeys: String, CodingKey { case status, token, session, generation, obtainedAt, movedTo }

    private enum Status: String, Codable { case token, signedOut, moved }
}

extension StoredToken: Encodable where Token: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch content {
        case .token(let token):
            try container.encode(Status.token, forKey: .status)
            try container.encode(token, forKey: .token)
        case .signedOut:
            try container.encode(Status.signedOut, forKey: .status)
        case .moved(let place):
            try container.encode(Status.moved, forKey: .status)
            try container.encode(place, forKey: .movedTo)
        }
        try container.encode(version.session, forKey: .session)
        try container.encode(version.generation, forKey: .generation)
        try container.encode(obtainedAt, forKey: .obtainedAt)
    }
}

extension StoredToken: Decodable where Token: Decodable {
    /// Decodes the flat form; see ``StoredToken``.
    ///
    /// - Throws: `DecodingError`, also for an unknown status, which a later version may have written: it is taken
    ///   neither for a token nor for a sign-out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let status = Status(rawValue: try container.decode(String.self, forKey: .status)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .status, in: container,
                debugDescription: "the status of a stored token is neither token nor signedOut nor moved")
        }
        let content: Content =
            switch status {
            case .token: .token(try container.decode(Token.self, forKey: .token))
            case .signedOut: .signedOut
            case .moved: .moved(to: try container.decode(String.self, forKey: .movedTo))
            }
        let generation = try container.decode(Int.self, forKey: .generation)
        guard (0...Int.max / 2).contains(generation) else {
            throw DecodingError.dataCorruptedError(
                forKey: .generation, in: container, debugDescription: "the generation has no successor")
        }
        let version = TokenVersion(session: try container.decode(UUID.self, forKey: .session), generation: generation)
        self.init(content, version: version, obtainedAt: try container.decode(Date.self, forKey: .obtainedAt))
    }
}
