// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationPostgreSQL

extension PostgreSQLTests {
    /// The store needs only `query` of a driver.
    @Suite struct AnyDriverTests {
        @Test func `stores with another driver pass the checks of every shared store, beside one with libpq`()
            async throws
        {
            let schema = try await Schema.make()
            // Each statement starts a program.
            let records = PostgreSQLRecords(
                CommandDatabase(connection: schema.connection), listens: false, clock: SystemClock())
            let one = try await LeasedTokens(
                database: records, key: .test(1), lease: .seconds(3_600), callLimit: .seconds(60))
            let other = try await schema.fleet(lease: .seconds(3_600), listens: false)
            let numbers = Numbers()
            try await SharedTokenStoreChecks<LeasedTokenStore<TestToken>> {
                let account = "user \(numbers.next())"
                return (one.store(client: "web", account: account), other.store(client: "web", account: account))
            }.run()
        }

        @Test func `a foreign table is recognized by the error code of the driver`() async throws {
            let schema = try await Schema.make()
            try await schema.query("CREATE TABLE request_authorization_fleet (id int)")
            let error = await #expect(throws: TokenStoreError.self) {
                try await PostgreSQLTokens(database: CommandDatabase(connection: schema.connection), key: .test(1))
            }
            #expect(error?.kind == .unsuitable)
        }
    }
}
#endif
