// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a token store keeps: a token, or the fact that somebody signed out.
public struct StoredToken<Token: AuthorizationToken>: Sendable {
    /// What is known of the session.
    public enum Content: Sendable {
        /// The token that is in use.
        case token(Token)
        /// The user signed out: a tombstone. A late token of this session must not be used or stored.
        case signedOut
        /// The server refused the token without a known reason; kept so that nothing is lost, no longer used.
        case setAside(Token)
    }

    public let content: Content
    public let version: TokenVersion
    /// When the request for the token was sent: with its expiry, the lifetime.
    public let obtainedAt: Date

    public init(_ content: Content, version: TokenVersion, obtainedAt: Date) {
        self.content = content
        self.version = version
        self.obtainedAt = obtainedAt
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

extension StoredToken.Content: Encodable where Token: Encodable {}
extension StoredToken.Content: Decodable where Token: Decodable {}
extension StoredToken: Encodable where Token: Encodable {}
extension StoredToken: Decodable where Token: Decodable {}
extension StoredToken.Content: Equatable where Token: Equatable {}
extension StoredToken: Equatable where Token: Equatable {}
extension StoredToken.Content: Hashable where Token: Hashable {}
extension StoredToken: Hashable where Token: Hashable {}

extension StoredToken.Content: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .token: "token([redacted])"
        case .signedOut: "signedOut"
        case .setAside: "setAside([redacted])"
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
