// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a token store keeps: a token, or the fact that somebody signed out or moved it.
///
/// It is encoded flat, in a form that stays; `status` is `token`, `signedOut` (then there is no `token`) or `moved` (then there
/// is `movedTo`), and the token itself and the date look as its type and the encoder say:
///
///     {"status":"token","token":{…},"session":"6D1C…","generation":3,"obtainedAt":…}
public struct StoredToken<Token: AuthorizationToken>: Sendable {
    /// What is known of the session.
    public enum Content: Sendable {
        /// The token that is in use.
        case token(Token)
        /// The user signed out: a tombstone. A late token of this session must not be used or stored.
        case signedOut
        /// The token was moved to another store: it must not be used or refreshed from here. The name of that store, for people.
        case moved(to: String)
    }

    public let content: Content
    public let version: TokenVersion
    /// When the request for the token was sent: with its expiry, the lifetime.
    public let obtainedAt: Date
    /// An earlier version of this package set the token aside: it counts as expired, so that it is refreshed before use.
    package let wasSetAside: Bool

    public init(_ content: Content, version: TokenVersion, obtainedAt: Date) {
        self.init(content, version: version, obtainedAt: obtainedAt, wasSetAside: false)
    }

    private init(_ content: Content, version: TokenVersion, obtainedAt: Date, wasSetAside: Bool) {
        self.content = content
        self.version = version
        self.obtainedAt = obtainedAt
        self.wasSetAside = wasSetAside
    }

    /// The token in use, if there is one.
    public var token: Token? { if case .token(let token) = content { token } else { nil } }
}

/// The place of a token in its session: later ones have the higher generation.
public struct TokenVersion: Hashable, Sendable, Codable {
    /// The session: from one sign-in to the next or to the sign-out.
    public let session: UUID
    /// Counts the tokens of the session from 0.
    public let generation: Int

    public init(session: UUID, generation: Int) {
        self.session = session
        self.generation = generation
    }
}

extension StoredToken.Content: Equatable where Token: Equatable {}
extension StoredToken: Equatable where Token: Equatable {}
extension StoredToken.Content: Hashable where Token: Hashable {}
extension StoredToken: Hashable where Token: Hashable {}

extension StoredToken.Content: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .token: "token([redacted])"
        case .signedOut: "signedOut"
        case .moved(let place): "moved(to: \(place))"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "StoredToken(\(content), generation \(version.generation))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["generation": version.generation]) }
}

// MARK: - Coding

extension StoredToken {
    private enum CodingKeys: String, CodingKey { case status, token, session, generation, obtainedAt, movedTo }

    /// `setAside` is read, for what earlier versions wrote, and kept as it is when the item is copied to another store.
    private enum Status: String, Codable { case token, signedOut, moved, setAside }
}

extension StoredToken: Encodable where Token: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch content {
        case .token(let token):
            try container.encode(wasSetAside ? Status.setAside : .token, forKey: .status)
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
    /// - Throws: `DecodingError`, also for a status that a later version may have written: what is not understood is neither
    ///   a token nor a sign-out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let status = Status(rawValue: try container.decode(String.self, forKey: .status)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .status, in: container,
                debugDescription: "the status of a stored token is neither token nor signedOut nor moved")
        }
        let content: Content =
            switch status {
            case .token, .setAside: .token(try container.decode(Token.self, forKey: .token))
            case .signedOut: .signedOut
            case .moved: .moved(to: try container.decode(String.self, forKey: .movedTo))
            }
        let version = TokenVersion(
            session: try container.decode(UUID.self, forKey: .session),
            generation: try container.decode(Int.self, forKey: .generation))
        self.init(
            content, version: version, obtainedAt: try container.decode(Date.self, forKey: .obtainedAt),
            wasSetAside: status == .setAside)
    }
}
