// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import Testing

/// Runs a server for a suite, and ends it with the suite.
struct PostgreSQLSuite: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let server = try await PostgreSQLServer()
        do {
            try await PostgreSQLServer.$current.withValue(server) { try await function() }
        } catch {
            await server.end()
            throw error
        }
        await server.end()
    }
}

extension Trait where Self == PostgreSQLSuite {
    static var postgreSQL: Self { PostgreSQLSuite() }
}

extension PostgreSQLServer {
    /// Whether it is installed. Where it must be (`REQUIRE_POSTGRESQL=1`, as in CI) its absence is a failure, not a skip.
    static let isThere =
        ProcessInfo.processInfo.environment["REQUIRE_POSTGRESQL"] == "1"
        || FileManager.default.fileExists(atPath: "/usr/lib/postgresql")

    static let how: Comment = "needs postgresql: .ci/install-tools"
}

/// All tests that need a server share one.
@Suite(.enabled(if: PostgreSQLServer.isThere, PostgreSQLServer.how), .postgreSQL, .timeLimit(.minutes(5)))
struct PostgreSQLTests {}
#endif
