// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import RequestAuthorization
import RequestAuthorizationStorage

/// What all stores of a fleet's tables share in this process.
final class Fleet: Sendable {
    let keys: FleetKeys
    let lease: Duration
    let requestDeadline: Duration
    let clock: any AuthorizationClock
    /// `nil` if it does not listen.
    let news: FleetNews?
    private let database: any PostgreSQLDatabase
    private let current: Lock<FleetPlace>

    init(
        database: some PostgreSQLDatabase, keys: FleetKeys, lease: Duration, requestDeadline: Duration,
        listens: Bool, clock: any AuthorizationClock
    ) async throws {
        self.database = database
        self.keys = keys
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

    /// Runs a statement, and once more if the tables had been dropped: they are made again.
    ///
    /// - Parameter statement: gets the place as it is then.
    /// - Throws: `TokenStoreError`; `CancellationError`.
    func query(
        _ statement: (FleetPlace) -> (String, [String?])
    ) async throws -> [[String?]] {
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

    /// Tells the other replicas that a row has another session, or none: in a statement of its own, for commits of transactions
    /// with a notice wait for one another. It may fail.
    func announce(client: String, account: String) async {
        guard news != nil else { return }
        let row = SQLText.hex(place.rowKey.row(client: client, account: account))
        _ = try? await database.query(
            "SELECT pg_notify($1::text, $2::text)::text", parameters: [FleetNews.channel, row])
    }

    /// Looks again which tables there are: they have been dropped, and perhaps made again.
    func reopen() async throws {
        let place = try await FleetPlace.open(in: database, keys: keys)
        current.withLock { $0 = place }
    }
}
#endif
