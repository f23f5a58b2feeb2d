// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The state that all stores of the same tables share in this process.
final class Fleet: Sendable {
    let keys: FleetKeys
    let lease: Duration
    let requestDeadline: Duration
    let clock: any AuthorizationClock
    /// `nil` if the fleet does not listen.
    let news: FleetNews?
    private let database: any PostgreSQLDatabase
    private let current: Lock<FleetPlace>

    init(
        database: some PostgreSQLDatabase, keys: FleetKeys, lease: Duration, requestDeadline: Duration,
        listens: Bool, clock: any AuthorizationClock
    ) async throws {
        (self.database, self.keys) = (database, keys)
        (self.lease, self.requestDeadline, self.clock) = (lease, requestDeadline, clock)
        let listener = listens ? database as? any ListeningPostgreSQLDatabase : nil
        news = listener.map { FleetNews($0, clock: clock) }
        do {
            current = Lock(try await FleetPlace.open(in: database, keys: keys))
        } catch let error as PostgreSQLError {
            throw TokenStoreError(error)
        }
    }

    var place: FleetPlace { current.withLock { $0 } }

    /// Runs a statement. If the tables were dropped, makes them again and runs the statement once more.
    ///
    /// - Parameter statement: makes the statement for the current tables.
    /// - Throws: `TokenStoreError`; `CancellationError`.
    func query(_ statement: (FleetPlace) -> (String, [String?])) async throws -> [[String?]] {
        do {
            let (text, parameters) = statement(place)
            do {
                return try await database.query(text, parameters: parameters)
            } catch let error as PostgreSQLError where error.sqlState == "42P01" {
                try await reopen()
                let (text, parameters) = statement(place)
                return try await database.query(text, parameters: parameters)
            }
        } catch let error as PostgreSQLError {
            throw TokenStoreError(error)
        }
    }

    /// Notifies the other hosts that a row has another session or none. A failure is ignored.
    ///
    /// It is a separate statement, because commits of transactions with a notification wait for each other.
    func announce(client: String, account: String) async {
        guard news != nil else { return }
        let row = SQLText.hex(place.rowKey.row(client: client, account: account))
        _ = try? await database.query(
            "SELECT pg_notify($1::text, $2::text)::text", parameters: [FleetNews.channel, row])
    }

    /// Opens the tables again after they were dropped or made again.
    func reopen() async throws {
        let place = try await FleetPlace.open(in: database, keys: keys)
        current.withLock { $0 = place }
    }
}
#endif
