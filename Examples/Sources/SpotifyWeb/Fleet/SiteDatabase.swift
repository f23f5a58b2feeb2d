// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
public import Foundation
import Crypto
import RequestAuthorizationPostgreSQL
import RequestAuthorizationSpotify

/// The database that all replicas of the site share. It holds tokens, sessions and pending log-ins.
///
///     let database = try await SiteDatabase(connection: "postgresql://…", key: key)
///     SpotifyWebSite(service: service, database: database)
public struct SiteDatabase: Sendable {
    let tokens: PostgreSQLTokens
    let statements: LibPQDatabase
    let seal: SessionSeal

    /// Creates the tables if they are missing, and removes what is left of sessions that ended a month ago.
    ///
    /// - Parameters:
    ///   - connection: a connection string for libpq.
    ///   - key: 32 random bytes, the same for all replicas. It must not be stored in the database.
    ///   - oldKeys: earlier keys, to open with.
    ///   - listens: whether to learn at once of sign-outs on other replicas; `false` behind a pooler.
    public init(connection: String, key: Data, oldKeys: [Data] = [], listens: Bool = true) async throws {
        statements = try LibPQDatabase(connection)
        tokens = try await PostgreSQLTokens(
            database: statements, key: .bytes(key), oldKeys: oldKeys.map { try .bytes($0) }, listens: listens)
        seal = SessionSeal(key: key, oldKeys: oldKeys)
        _ = try await statements.query(SessionStatements.migration, parameters: [])
        try await tokens.removeEnded()
    }

    /// An account whose tokens all replicas share.
    func account(_ id: UUID) -> Account<OAuthToken> {
        Account(id: id, tokens: tokens.store(client: "spotify-web", account: id.uuidString))
    }

    /// Removes the tokens of an account whose session has ended.
    func remove(_ id: UUID) async throws {
        try await tokens.remove(client: "spotify-web", account: id.uuidString)
    }
}

/// Contains keys.
extension SiteDatabase: CustomStringConvertible, CustomReflectable {
    public var description: String { "SiteDatabase([redacted])" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
