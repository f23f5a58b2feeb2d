// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// `Documentation/Design/Failures.md` says how answers are sorted.
@Suite struct FailureTableTests {
    @Test(arguments: try FailureTable.rows())
    func `an answer is sorted as the table says`(row: FailureTable.Row) async throws {
        let transport = ScriptedTokenTransport(.response(row.status, json: row.body))
        let service = OAuthTokenService.authorizationCode(
            server: .make(), client: .public(id: "t"), transport: transport)
        let error = await #expect(throws: (any Error).self) {
            try await service.refresh(.make(refreshToken: "r"))
        }
        #expect((error as? any TokenServiceFailure)?.kind == row.kind)
        #expect((error as? TokenEndpointError)?.code == row.code)
    }

    @Test func `the table names every kind that an answer can have, and many answers`() throws {
        let rows = try FailureTable.rows()
        #expect(Set(rows.map(\.kind)) == [.terminal, .client, .interaction, .transient])
        #expect(rows.count > 100)
        #expect(rows.count { $0.body.isEmpty } > 5)
    }
}
