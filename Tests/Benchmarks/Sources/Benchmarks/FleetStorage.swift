// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Foundation
import RequestAuthorization

#if Clients
import RequestAuthorizationPostgreSQL
import Synchronization
#endif

/// The cost of a fleet's store while the token is valid: nothing.
///
/// The trait Clients brings swift-crypto, without which that store is not compiled.
func compareWarmFleet() async throws -> [Comparison] {
    #if Clients
    let database = RowsInMemory()
    let fleet = try await PostgreSQLTokens(database: database, key: .bytes(Data(repeating: 7, count: 32)))
    let store: LeasedTokenStore<BenchmarkToken> = fleet.store(client: "benchmark", account: "any")
    try await store.save(
        StoredToken(.token(.valid), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now))
    let stored = RefreshableTokenAuthorization(service: GatedService(), store: store)
    // Reads the row; from then on the token is in memory.
    keep(try await stored.validToken())
    let statements = database.count
    let contenders = [stored, Fixture.warm].map { auth in
        Contender(times: 10_000) { times in
            for _ in 0..<times { keep(try await auth.validToken()) }
            guard database.count == statements else {
                throw BenchmarkError(description: "a warm token has asked the database")
            }
        }
    }
    return [
        Comparison(
            "validToken() with a fleet's store / without", contenders[0], against: contenders[1], bound: 1.15,
            rounds: 200)
    ]
    #else
    return []
    #endif
}

#if Clients
/// A database whose rows are in memory. The tables exist.
private final class RowsInMemory: PostgreSQLDatabase, Sendable {
    private let contents = Mutex((rows: [String: String](), count: 0))

    /// The number of statements.
    var count: Int { contents.withLock(\.count) }

    /// The first parameter is the key, the second the record to replace, or the new one if there was none.
    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        contents.withLock { contents in
            contents.count += 1
            guard let key = parameters.first ?? nil else { return [] }
            let row = contents.rows[key]
            switch statement.prefix(6) {
            case "INSERT" where row == nil: contents.rows[key] = parameters[1]
            case "UPDATE" where row == parameters[1]: contents.rows[key] = parameters[2]
            case "DELETE" where row == parameters[1]: contents.rows[key] = nil
            case "SELECT" where parameters.count == 1: return row.map { [[$0, "0", nil]] } ?? []
            case "SELECT": return row.map { [[$0 == parameters[1] ? "true" : "false"]] } ?? []
            default: return []
            }
            return [["as set"]]
        }
    }
}
#endif
