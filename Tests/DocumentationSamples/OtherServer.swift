// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

// sample: dated
/// For answers such as `{"accessToken":"…","refreshToken":"…","validUntil":"2027-01-31T12:00:00Z"}`, and errors such as
/// `{"error":{"code":"session_over"}}`.
struct DatedTokenService: RefreshableTokenService {
    let endpoint: JSONTokenEndpoint

    init(_ url: URL, transport: any TokenTransport, clock: any AuthorizationClock = .system) {
        endpoint = JSONTokenEndpoint(
            url, transport: transport, clock: clock, errorMember: "error.code", dates: .iso8601,
            failureKind: { _, code in code == "session_over" ? .terminal : nil })
    }

    func refresh(_ token: AccountToken) async throws -> AccountToken {
        struct Answer: Decodable { let accessToken, refreshToken: String, validUntil: Date }
        let answer = try await endpoint.post(["refreshToken": token.refreshToken], expecting: Answer.self).body
        return AccountToken(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken, expiresAt: answer.validUntil)
    }
}
// end sample

// sample: put
/// Sends a `PUT` with the refresh token as text. The answer is a 201 with the access token as text, or a 410 if the
/// session is over.
struct TextTokenService: RefreshableTokenService {
    let url: URL
    let transport: any TokenTransport
    var clock: any AuthorizationClock = .system

    func refresh(_ token: AccountToken) async throws -> AccountToken {
        let sentAt = clock.now
        let response = try await transport.send(
            TokenRequest(
                method: "PUT", url: url, fields: [("Content-Type", "text/plain")],
                body: Array(token.refreshToken.utf8)))
        switch response.statusCode {
        case 201 where !response.body.isEmpty:
            return AccountToken(
                accessToken: String(decoding: response.body, as: UTF8.self), refreshToken: token.refreshToken,
                expiresAt: sentAt + 900)
        case 201: throw InvalidTokenResponse(status: 201, field: "body", problem: .missing)
        case 410: throw TokenEndpointError(status: 410, kind: .terminal)  // ends the session
        default: throw TokenEndpointError(status: response.statusCode)  // keeps the token; tried again later
        }
    }
}
// end sample

/// An HTTP client that this package does not know.
struct PartnerClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let fields: [(name: String, value: String)]
        let body: [UInt8]
    }

    struct Failure: Error { let wasSent: Bool }

    let answer: @Sendable (TokenRequest) throws -> Answer

    func call(
        _ method: String, _ url: URL, fields: [(name: String, value: String)], body: [UInt8], timeout: Duration,
        atMost length: Int
    ) async throws -> Answer {
        try answer(
            TokenRequest(
                method: method, url: url, fields: fields, body: body, timeout: timeout, maximumResponseLength: length))
    }
}

// sample: transport
/// Sends token requests with a client that follows no redirect, keeps no cookie, and sends nothing twice.
struct PartnerTransport: TokenTransport {
    let client: PartnerClient

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        do {
            let answer = try await client.call(
                request.method, request.url, fields: request.fields, body: request.body, timeout: request.timeout,
                atMost: request.maximumResponseLength)
            return TokenResponse(statusCode: answer.status, fields: answer.fields, body: answer.body)
        } catch let error as PartnerClient.Failure where error.wasSent {
            // The server may have accepted the refresh token, although no answer came.
            throw TokenTransportError(.connectionLost, delivery: .mayHaveBeenProcessed, underlying: error)
        } catch let error as PartnerClient.Failure {
            throw TokenTransportError(.unreachable, delivery: .notSent, underlying: error)
        }
    }
}
// end sample

/// Stands in for a table of a database.
actor SessionTable: CustomReflectable {
    private var rows: [String: SessionRow] = [:]

    func row(of account: String) throws -> SessionRow? { rows[account] }
    func set(_ row: SessionRow, of account: String) throws { rows[account] = row }
    func remove(_ account: String) throws { rows[account] = nil }

    nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}

// sample: columns
/// A row of the table. After a sign-out the columns of the token are `NULL`, as is `movedTo`.
struct SessionRow: Sendable {
    var accessToken: String?
    var refreshToken: String?
    var expiresAt: Date?
    var movedTo: String?
    var session: UUID
    var generation: Int  // 64 bits
    var obtainedAt: Date  // with milliseconds
}

struct ColumnTokenStore: TokenStore {
    let table: SessionTable
    let account: String

    func load() async throws -> StoredToken<AccountToken>? {
        guard let row = try await table.row(of: account) else { return nil }
        let content: StoredToken<AccountToken>.Content =
            if let access = row.accessToken, let refresh = row.refreshToken, let expiry = row.expiresAt {
                .token(AccountToken(accessToken: access, refreshToken: refresh, expiresAt: expiry))
            } else if let place = row.movedTo { .moved(to: place) } else { .signedOut }
        let version = TokenVersion(session: row.session, generation: row.generation)
        return StoredToken(content, version: version, obtainedAt: row.obtainedAt)
    }

    func save(_ stored: StoredToken<AccountToken>) async throws {
        let place: String? = if case .moved(let place) = stored.content { place } else { nil }
        let row = SessionRow(
            accessToken: stored.token?.accessToken, refreshToken: stored.token?.refreshToken,
            expiresAt: stored.token?.expiresAt, movedTo: place, session: stored.version.session,
            generation: stored.version.generation, obtainedAt: stored.obtainedAt)
        try await table.set(row, of: account)
    }

    func clear() async throws { try await table.remove(account) }
}
// end sample
