// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import Testing

// sample: service
struct BillingToken: AuthorizationToken, Decodable {
    let value: String
    let expiresAt: Date
    var authorizationHeaderValue: String { "Bearer \(value)" }
}

/// Needs no user: it authenticates with the server's own secret.
struct BillingTokenService: RefreshableTokenService {
    let endpoint: URL
    let secret: String
    let transport: any TokenTransport  // HTTPClient.shared, for instance

    func initialToken() async throws -> BillingToken { try await fetch() }
    func refresh(_ token: BillingToken) async throws -> BillingToken { try await fetch() }

    private func fetch() async throws -> BillingToken {
        let response = try await transport.send(TokenRequest(url: endpoint, body: Array(secret.utf8)))
        guard response.statusCode == 200 else { throw TokenEndpointError(status: response.statusCode) }
        return try JSONDecoder().decode(BillingToken.self, from: Data(response.body))
    }
}
// end sample

/// A sequence without access to its storage, so that the client takes it for one that can be read once.
private struct CountDown: Sequence, IteratorProtocol {
    var left: UInt8 = 3

    mutating func next() -> UInt8? {
        guard left > 0 else { return nil }
        defer { left -= 1 }
        return left
    }
}

@Suite(.timeLimit(.minutes(5))) struct AsyncHTTPClientSamples {
    /// Refuses the first token it hands out, as a server does that was restarted.
    private func withBilling(body: (HTTPClient, RawServer) async throws -> Void) async throws {
        let tokens = Lock(0)
        try await withServer { request in
            if request.target == "/token" {
                let number = tokens.withLock { count in
                    count += 1
                    return count
                }
                return .text(#"{"value": "\#(number)", "expiresAt": 9999999999}"#)
            }
            return request["Authorization"] == "Bearer 1" ? .unauthorized("Bearer", body: "no") : .text("billed")
        } body: { server in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            do { try await body(client, server) } catch { Issue.record(error) }
            try await client.shutdown()
        }
    }

    @Test func `a server sends with its own credential, without a user`() async throws {
        try await withBilling { client, server in
            let (endpoint, bills, secret) = (server.url("/token"), server.url("/v1/bills").absoluteString, "secret")
            guard let api = Origin(endpoint) else { return }
            // sample: server
            let service = BillingTokenService(endpoint: endpoint, secret: secret, transport: client)
            let auth = RefreshableTokenAuthorization(service: service)  // fetches its first token by itself
            let bound = auth.restricted(to: api)  // for requests; api is "https://api.example.com", for instance

            var request = HTTPClientRequest(url: bills)
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: "one widget"))
            let response = try await client.execute(request, timeout: .seconds(30), authorizedBy: bound)
            let answer = try await String(buffer: response.body.collect(upTo: 1 << 20))
            // end sample
            #expect(response.status == .ok && answer == "billed")
            let sent = await server.requests.filter { $0.target == "/v1/bills" }
            #expect(sent.map(\.text) == ["one widget", "one widget"])
        }
    }

    @Test func `a stream is sent again if the caller says that it can be`() async throws {
        try await withBilling { client, server in
            let auth = RefreshableTokenAuthorization(
                service: BillingTokenService(endpoint: server.url("/token"), secret: "secret", transport: client))
            var request = HTTPClientRequest(url: server.url("/v1/bills").absoluteString)
            request.method = .PUT
            request.body = .bytes(CountDown(), length: .unknown)
            // sample: replayable
            // A stream is sent once, unless you say that it can be read again from its beginning.
            let response = try await client.execute(
                request, timeout: .seconds(30), authorizedBy: auth, isReplayable: true)
            // end sample
            #expect(response.status == .ok)
            let sent = await server.requests.filter { $0.target == "/v1/bills" }
            #expect(sent.map(\.body) == [[3, 2, 1], [3, 2, 1]])
        }
    }

    @Test func `an API key is sent by a client that follows no redirects`() async throws {
        try await withBilling { _, server in
            let (url, key) = (server.url("/v1/bills").absoluteString, "key")
            let request = HTTPClientRequest(url: url)
            // sample: key
            let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
            let response = try await client.execute(
                request, timeout: .seconds(30), authorizedBy: .header("X-API-Key", key), clientFollowsRedirects: false)
            // end sample
            #expect(response.status == .ok)
            #expect(await server.requests.map { $0["X-API-Key"] } == ["key"])
            try await client.shutdown()
        }
    }
}
#endif
