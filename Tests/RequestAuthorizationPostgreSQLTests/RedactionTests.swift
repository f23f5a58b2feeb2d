// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// No type of this module prints a secret.
    @Suite struct RedactionTests {
        @Test func `no public type shows a secret, whichever way it is printed`() async throws {
            #expect(try await Exhibit.all().flatMap(\.leaks) == [])
        }

        @Test func `every public type is on show here, or is known to hold no secret`() async throws {
            let shown = Set(try await Exhibit.all().map(\.type))
            let declared = try PublicTypes.declared(in: ["RequestAuthorizationPostgreSQL"])
            #expect(declared.contains("PostgreSQLTokens"))
            let forgotten = declared.subtracting(shown).subtracting(Self.withoutSecrets)
            #expect(forgotten.isEmpty, "show them in Exhibit.all(), or say that they hold no secret")
        }

        /// Names, numbers and places only.
        private static let withoutSecrets: Set = ["PostgreSQLError.Code"]
    }
}

extension Exhibit {
    static func all() async throws -> [Exhibit] {
        let schema = try await Schema.make()
        let key = Data((Secret.text + String(repeating: "x", count: 32)).utf8.prefix(32))
        // The server asks no user for a password here.
        let connection = schema.connection.replacingOccurrences(of: "app@", with: "app:\(Secret.text)@")
        let fleet = try await PostgreSQLTokens(connection: connection, key: .bytes(key))
        let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
        try await store.save(.make(Secret.text))
        let lock = try await store.lock(within: .seconds(60))
        defer { withExtendedLifetime(lock) {} }
        return [
            Exhibit("LibPQDatabase", try LibPQDatabase(connection)), Exhibit("PostgreSQLTokens", fleet),
            Exhibit("LeasedTokenStore", store),
            Exhibit("PostgreSQLError", PostgreSQLError(.refused, sqlState: Secret.text)),
        ] + (try await errors(from: schema)).map { Exhibit("PostgreSQLError", $0) }
    }

    /// The error for a connection string with a password that does not work.
    private static func errors(from schema: Schema) async throws -> [any Error] {
        let address = schema.connection.components(separatedBy: "@")[1]
        let connections = [
            "postgresql://guarded:\(Secret.text)@\(address)", "postgresql://app:\(Secret.text)/x@\(address)",
            "postgresql://app:\(Secret.text)@127.0.0.1:1/x", "host=127.0.0.1 password='\(Secret.text)",
            "postgresql://app@127.0.0.1:\(Secret.text)/x", "postgresql://app:a@\(Secret.text)@127.0.0.1:1/x",
            "\(Secret.text)=1", "postgresql://\(address)&sslmode=\(Secret.text)",
        ]
        var errors: [any Error] = []
        for connection in connections {
            do {
                _ = try await PostgreSQLTokens(connection: connection, key: .test(1))
                Issue.record("a connection string of nonsense works")
            } catch {
                errors.append(error)
                if let cause = (error as? TokenStoreError)?.underlying { errors.append(cause) }
            }
        }
        return errors
    }
}
#endif
