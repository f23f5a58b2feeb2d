// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
public import Foundation
import Crypto
import RequestAuthorizationPostgreSQL
import RequestAuthorizationSpotify

/// The database that all replicas of the site share: tokens, sessions, and log-ins that have begun.
///
///     let database = try await SiteDatabase(connection: "postgresql://…", key: key)
///     SpotifyWebSite(service: service, database: database)
public struct SiteDatabase: Sendable {
    let tokens: PostgreSQLTokens
    let statements: LibPQDatabase
    let seal: SessionSeal

    /// Makes the tables if there are none.
    ///
    /// - Parameters:
    ///   - connection: as libpq takes it.
    ///   - key: 32 random bytes, the same for all replicas, and not kept in the database.
    ///   - listens: whether a sign-out on another replica is heard of at once; `false` behind a pooler.
    public init(connection: String, key: Data, listens: Bool = true) async throws {
        statements = try LibPQDatabase(connection)
        tokens = try await PostgreSQLTokens(database: statements, key: .bytes(key), listens: listens)
        seal = SessionSeal(key: key)
        _ = try await statements.query(SessionStatements.migration, parameters: [])
    }

    /// An account whose tokens all replicas share.
    func account(_ id: UUID) -> Account<OAuthToken> {
        Account(id: id, tokens: tokens.store(client: "spotify-web", account: id.uuidString))
    }
}

/// Keys are in it.
extension SiteDatabase: CustomStringConvertible, CustomReflectable {
    public var description: String { "SiteDatabase([redacted])" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
