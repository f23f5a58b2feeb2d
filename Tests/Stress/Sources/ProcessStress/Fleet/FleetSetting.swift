// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Fleet
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL

/// The settings of the replicas, in a file: other users of the machine can see a process's arguments.
struct FleetSetting: Codable {
    let connection: String
    let key: Data
    let lease: Double
    let clockOffset: Double

    init(connection: String, key: Data, lease: Double, clockOffset: Double) {
        (self.connection, self.key, self.lease, self.clockOffset) = (connection, key, lease, clockOffset)
    }

    init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(FleetSetting.self, from: Data(contentsOf: url))
    }

    func write(to url: URL) throws {
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: try JSONEncoder().encode(self), attributes: [.posixPermissions: 0o600])
        guard isMade else { throw SystemError("write \(url.path)") }
    }

    /// Ahead, behind and zero in turn.
    func offset(of worker: Int) -> Double { clockOffset * [1, -1, 0][worker % 3] }

    /// The store that all replicas share, with this process's own connections.
    func tokenStore(clock: any AuthorizationClock) async throws -> LeasedTokenStore<StressToken> {
        let database = try LibPQDatabase(connection)
        while true {
            do {
                let fleet = try await PostgreSQLTokens(
                    database: database, key: .bytes(key), lease: .seconds(lease),
                    requestDeadline: .seconds(max(1, lease / 2 - 1)), clock: clock)
                return fleet.store(client: StressFolder.client, account: "shared")
            } catch let error as TokenStoreError where [.unavailable, .timedOut].contains(error.kind) {
                // The database may be unreachable when a replica starts.
                try await clock.sleep(for: .milliseconds(100))
            }
        }
    }
}

extension FleetSetting: CustomStringConvertible, CustomReflectable {
    var description: String { "FleetSetting([redacted])" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A clock whose time of day is ahead or behind.
struct OffsetClock: AuthorizationClock {
    let base: any AuthorizationClock
    /// Seconds.
    let offset: Double

    var now: Date { base.now + offset }
    var uptime: Duration { base.uptime }
    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
#endif
