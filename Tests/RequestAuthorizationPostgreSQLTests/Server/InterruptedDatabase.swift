// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import RequestAuthorizationPostgreSQL

/// Does something else before each statement.
struct InterruptedDatabase: PostgreSQLDatabase {
    let base: LibPQDatabase
    let before: @Sendable (String) async throws -> Void

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        try await before(statement)
        return try await base.query(statement, parameters: parameters)
    }
}
#endif
