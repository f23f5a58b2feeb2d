// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@Suite struct OtherServerTests {
    let old = AccountToken(accessToken: "a", refreshToken: "r", expiresAt: .distantPast)
    let url: URL

    init() throws { url = try #require(URL(string: "https://widgets.example/session")) }

    @Test func `a date and a nested code are read`() async throws {
        let server = ScriptedTokenTransport(
            .response(201, json: #"{"accessToken":"b","refreshToken":"s","validUntil":"2040-01-31T12:00:00Z"}"#),
            .response(400, json: #"{"error":{"code":"busy"}}"#),
            .response(400, json: #"{"error":{"code":"session_over"}}"#))
        let service = DatedTokenService(url, transport: server)
        let expiry = Date(timeIntervalSince1970: 2_211_624_000)
        #expect(
            try await service.refresh(old) == AccountToken(accessToken: "b", refreshToken: "s", expiresAt: expiry))
        await #expect(throws: TokenEndpointError(status: 400, code: "busy")) { try await service.refresh(old) }
        await #expect(throws: TokenEndpointError(status: 400, code: "session_over", kind: .terminal)) {
            try await service.refresh(old)
        }
    }

    @Test func `another method and a text are possible`() async throws {
        let (clock, server) = (ManualClock(), ScriptedTokenTransport(.text(201, "b"), .text(201, ""), .text(503, "")))
        let service = TextTokenService(url: url, transport: server, clock: clock)
        let next = try await service.refresh(old)
        #expect(next == AccountToken(accessToken: "b", refreshToken: "r", expiresAt: clock.now + 900))
        await #expect(throws: InvalidTokenResponse(status: 201, field: "body", problem: .missing)) {
            try await service.refresh(old)
        }
        await #expect(throws: TokenEndpointError(status: 503)) { try await service.refresh(old) }
        #expect(server.requests.allSatisfy { $0.method == "PUT" && $0.body == Array("r".utf8) })
    }

    // sample: kind
    @Test func `a 410 ends the session`() async throws {
        let service = TextTokenService(
            url: url, transport: ScriptedTokenTransport(.success(TokenResponse(statusCode: 410))))
        let auth = RefreshableTokenAuthorization(service: service, token: old)
        await #expect { try await auth.validToken() } throws: { ($0 as? NotAuthorized)?.reason == .rejected }
    }
    // end sample

    // sample: delivery
    @Test func `the transport says what may have been processed`() async throws {
        let request = TokenRequest(url: url, body: Array("r".utf8))
        let answering = PartnerTransport(client: PartnerClient { .init(status: 200, fields: [], body: $0.body) })
        #expect(try await answering.send(request).body == request.body)
        for (wasSent, delivery) in [(true, TokenRequestDelivery.mayHaveBeenProcessed), (false, .notSent)] {
            let failing = PartnerTransport(client: PartnerClient { _ in throw PartnerClient.Failure(wasSent: wasSent) })
            await #expect {
                try await failing.send(request)
            } throws: {
                ($0 as? TokenTransportError)?.delivery == delivery
            }
        }
    }
    // end sample

    // sample: transport-checks
    @Test func `it is a transport`() async throws {
        try await TokenTransportChecks { URLSession(configuration: .ephemeral) }.run()
    }
    // end sample

    // sample: columns-checks
    @Test func `a table with columns is a store`() async throws {
        try await TokenStoreChecks(token: {
            AccountToken(accessToken: "access-\($0)", refreshToken: "refresh-\($0)", expiresAt: .distantFuture)
        }) {
            ColumnTokenStore(table: SessionTable(), account: "ada")
        }.run()
    }
    // end sample

    @Test func `the columns keep that a token was moved`() async throws {
        let store = ColumnTokenStore(table: SessionTable(), account: "ada")
        let version = TokenVersion(session: UUID(), generation: 3)
        let moved = StoredToken<AccountToken>(.moved(to: "the vault"), version: version, obtainedAt: .now)
        try await store.save(moved)
        #expect(try await store.load() == moved)
    }
}

extension ScriptStep where Input == TokenRequest, Output == TokenResponse {
    fileprivate static func text(_ status: Int, _ text: String) -> Self {
        .success(TokenResponse(statusCode: status, body: Array(text.utf8)))
    }
}
