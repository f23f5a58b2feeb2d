// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web && Fleet
import Foundation
import RequestAuthorizationPostgreSQL
import RequestAuthorizationSpotify

/// The sessions of all replicas, in their database, limited in number and age.
///
/// The database has only a hash of a browser's id, and the data of the browser is sealed.
struct SharedSessions: BrowserSessions {
    typealias Pending = SpotifyWebSite.LogIn
    typealias Account = SpotifyWebSite.Account

    let database: SiteDatabase
    let limits: SessionLimits

    private struct Contents: Codable {
        let formToken: String
        let account: UUID
    }

    func add(_ pending: Pending, of id: SessionSecret?) async throws -> SessionSecret {
        try await query(SessionStatements.removeOldVisitors, Self.seconds(limits.visitorAge))
        try await remove(
            try await query(SessionStatements.expired, Self.seconds(limits.idle), Self.seconds(limits.age)))
        let visitor: SessionSecret
        if let id, try await isVisitor(id) {
            visitor = id
        } else {
            visitor = newSecret()
            try await query(SessionStatements.makeRoomForVisitors, "\(max(limits.visitors, 1) - 1)")
            try await query(SessionStatements.addVisitor, bytes(row(of: visitor)))
        }
        let row = row(of: visitor)
        try await query(
            SessionStatements.addLogIn, bytes(row), bytes(try database.seal.seal(pending, in: row)))
        try await query(SessionStatements.makeRoomForLogIns, bytes(row), "\(limits.pendingPerVisitor)")
        return visitor
    }

    func isVisitor(_ id: SessionSecret?) async throws -> Bool {
        guard let id else { return false }
        return try await !query(
            SessionStatements.isVisitor, bytes(row(of: id)), Self.seconds(limits.visitorAge)
        ).isEmpty
    }

    func take(of id: SessionSecret?, where matches: @Sendable (Pending) -> Bool) async throws -> Pending? {
        guard let id, try await isVisitor(id) else { return nil }
        let row = row(of: id)
        for found in try await query(SessionStatements.logIns, bytes(row)) {
            guard found.count == 2, let sealed = found[1].flatMap(Self.data),
                let pending: Pending = try? database.seal.open(sealed, in: row), matches(pending)
            else { continue }
            return try await query(SessionStatements.takeLogIn, found[0]).isEmpty ? nil : pending
        }
        return nil
    }

    func begin(_ account: Account, insteadOf id: SessionSecret?) async throws -> Session<Account> {
        try await remove(try await query(SessionStatements.surplus, "\(max(limits.sessions, 1) - 1)"))
        let session = Session(id: newSecret(), formToken: newSecret(), account: account)
        let row = row(of: session.id)
        let contents = Contents(formToken: session.formToken.text, account: account.id)
        try await query(
            SessionStatements.begin, id.map { bytes(self.row(of: $0)) }, bytes(row),
            bytes(try database.seal.seal(contents, in: row)))
        return session
    }

    func session(of id: SessionSecret?) async throws -> Session<Account>? {
        guard let id else { return nil }
        let row = row(of: id)
        let rows = try await query(
            SessionStatements.use, bytes(row), Self.seconds(limits.idle), Self.seconds(limits.age))
        // What another version of the site has sealed may have another form. Its user logs in again.
        guard let sealed = rows.first?.first?.flatMap(Self.data),
            let contents: Contents = try? database.seal.open(sealed, in: row),
            let formToken = SessionSecret(contents.formToken)
        else { return nil }
        return Session(id: id, formToken: formToken, account: database.account(contents.account))
    }

    func end(_ id: SessionSecret?) async throws {
        if let id { try await query(SessionStatements.end, bytes(row(of: id))) }
    }

    // MARK: -

    /// Removes sessions, each after its tokens: only its row leads to them, and the next log-in finds it after a crash.
    private func remove(_ sessions: [[String?]]) async throws {
        for session in sessions where session.count == 2 {
            guard let row = session[0].flatMap(Self.data), let sealed = session[1].flatMap(Self.data) else { continue }
            if let contents: Contents = try? database.seal.open(sealed, in: row) {
                try await database.remove(contents.account)
            }
            try await query(SessionStatements.end, bytes(row))
        }
    }

    @discardableResult
    private func query(_ statement: String, _ parameters: String?...) async throws -> [[String?]] {
        try await database.statements.query(statement, parameters: parameters)
    }

    private func row(of id: SessionSecret) -> Data { database.seal.row(of: id) }

    private func newSecret() -> SessionSecret {
        var generator = SystemRandomNumberGenerator()
        return SessionSecret(using: &generator)
    }

    private func bytes(_ data: Data) -> String { "\\x" + data.map { String(format: "%02x", $0) }.joined() }

    private static func data(_ base64: String) -> Data? {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
    }

    /// At most two hundred years: the database would refuse a longer interval.
    static func seconds(_ duration: Duration) -> String {
        "\(min(max(duration, .zero), .seconds(Int64(200) * 365 * 86_400)) / .seconds(1))"
    }
}
#endif
