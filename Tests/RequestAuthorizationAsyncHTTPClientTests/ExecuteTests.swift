// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorizationAsyncHTTPClient

@Suite(.timeLimit(.minutes(5))) struct ExecuteTests {
    @Test func `a 401 that another try cannot help is returned whole`() async throws {
        let text = String(repeating: "no ", count: 100_000)
        try await withServer { _ in
            .unauthorized("Bearer", body: text)
        } body: { server in
            try await withClient { client in
                let received = try await client.received(.get(server.url("/")), authorizedBy: .bearer("abc"))
                #expect(received == .init(401, text))
                #expect(await server.requests.count == 1)
            }
        }
    }

    /// `URLSession` on Linux cannot read such an answer.
    @Test func `a challenge that is not UTF-8 is read, with a replacement character`() async throws {
        let head =
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\"Z\u{FC}rich\", error=\"e\"\r\nContent-Length: 0\r\n\r\n"
        let provider = LooseProvider(["Authorization": "Bearer 1"])
        try await withServer { _ in
            Answer(steps: [.send(head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })])
        } body: { server in
            try await withClient { client in
                _ = try await client.received(.get(server.url("/")), authorizedBy: provider)
            }
        }
        let challenge = try #require(provider.refusals.withLock { $0.first?.challenges.first })
        #expect(challenge.parameters["realm"] == "Z\u{FFFD}rich" && challenge.error == "e" && !challenge.isPartial)
    }

    @Test func `a stream is sent again if the caller says that it can be read again`() async throws {
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer", body: "no") : .text("hello")
        } body: { server in
            try await withClient { client in
                let stream = [ByteBuffer(bytes: [1]), ByteBuffer(bytes: [2])].async
                let request = HTTPClientRequest.post(server.url("/"), .stream(stream, length: .known(Int64(2))))
                let received = try await client.received(request, isReplayable: true)
                #expect(received == .init(200, "hello"))
                #expect(await server.requests.map(\.body) == [[1, 2], [1, 2]])
            }
        }
    }

    @Test func `bytes are not sent again if the caller says so`() async throws {
        try await withServer { _ in
            .unauthorized("Bearer", body: "no")
        } body: { server in
            try await withClient { client in
                let request = HTTPClientRequest.post(server.url("/"), .bytes([1]))
                let received = try await client.received(request, isReplayable: false)
                #expect(received == .init(401, "no"))
                #expect(await server.requests.count == 1)
            }
        }
    }

    // MARK: - Connections

    @Test(arguments: ["", "no", String(repeating: "no ", count: 10_000)])
    func `the connection of a 401 serves the second try`(body: String) async throws {
        // The body comes after the head has been delivered, so its reader must wait for it.
        let refusal = Answer(
            steps: [
                .send(Array("HTTP/1.1 401 No\r\nContent-Length: \(body.utf8.count)\r\n\r\n".utf8)),
                .pause(.milliseconds(50)), .send(Array(body.utf8)),
            ])
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? refusal : .text("")
        } body: { server in
            try await withClient { client in
                // On a busy machine the body may take longer than usual.
                let execution = AuthorizedExecution(
                    client: client, deadline: .now() + .seconds(300), logger: nil, clientFollowsRedirects: true,
                    patience: .seconds(300))
                let response = try await execution.send(
                    .get(server.url("/")), authorizedBy: CountingProvider(), refreshCount: 1, isReplayable: nil)
                #expect(response.status == .ok)
                #expect(await server.requests.count == 2)
                #expect(await server.connections == 1)
            }
        }
    }

    @Test func `a 401 that never ends is dropped with its connection`() async throws {
        let endless = Answer(
            steps: [.send(Array("HTTP/1.1 401 No\r\n\r\n".utf8))]
                + Array(repeating: .send(Array(repeating: 42, count: 4096)), count: 17))
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? endless : .text("hello")
        } body: { server in
            try await withClient { client in
                let received = try await client.received(.get(server.url("/")))
                #expect(received == .init(200, "hello"))
                await server.waitForDepartures(1)
                #expect(await server.connections == 2)
            }
        }
    }

    @Test func `a 401 with a late end is dropped before the time limit of the call`() async throws {
        let late = Answer(steps: [.send(Array("HTTP/1.1 401 No\r\nContent-Length: 5\r\n\r\nno".utf8))])
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? late : .text("hello")
        } body: { server in
            try await withClient { client in
                let received = try await client.received(.get(server.url("/")))
                #expect(received == .init(200, "hello"))
            }
        }
    }

    @Test func `a refresh over the only connection is not kept waiting by the 401`() async throws {
        try await withServer { request in
            if request.target == "/token" { return .text("fresh") }
            return request["Authorization"] == "Bearer fresh"
                ? .text("hello") : .unauthorized("Bearer", body: String(repeating: "no ", count: 10_000))
        } body: { server in
            try await withClient(connections: 1) { client in
                let service = LoopbackService(transport: client, url: server.url("/token"))
                let auth = RefreshableTokenAuthorization(service: service, token: LoopbackToken(name: "old"))
                let received = try await client.received(.get(server.url("/")), authorizedBy: auth)
                #expect(received == .init(200, "hello"))
            }
        }
    }

    /// The core's own `send` knows nothing of connections, so it lets go of the answer.
    @Test func `the next try of a plain send gets the only connection, though the 401 was not read`() async throws {
        try await withServer { request in
            request["Authorization"] == "Bearer fresh"
                ? .text("hello")
                : .unauthorized("Bearer", body: String(repeating: "no ", count: 10_000)).inPieces(of: 4_000)
        } body: { server in
            try await withClient(connections: 1) { client in
                let service = ScriptedTokenService(.token("fresh"))
                let auth = RefreshableTokenAuthorization(service: service, token: TestToken("old"))
                let response = try await auth.send(.get(server.url("/"))) {
                    try await client.execute($0, timeout: .seconds(120))
                }
                #expect(response.status == .ok)
            }
        }
    }

    // MARK: - The refresh of a request

    /// The provider of a user's own adds a field, and so does the token request. Neither sees the other's.
    @Test func `a request that begins a refresh is sent, whatever the token request sets`() async throws {
        try await withServer { request in
            request.target == "/token" ? .text(request["X-Client"] ?? "none") : .text("hello")
        } body: { server in
            try await withClient { client in
                let service = FetchingService(client: client, url: server.url("/token"))
                let auth = RefreshableTokenAuthorization(service: service)
                let provider = Tenant(base: auth)
                let received = try await client.received(.get(server.url("/")), authorizedBy: provider)
                #expect(received == .init(200, "hello"))
                let requests = await server.requests
                #expect(requests.map { $0["X-Client"] } == ["key", nil])
                #expect(requests.map { $0["Authorization"] } == [nil, "Bearer key"])
                #expect(requests.map { $0["Cookie"] } == [nil, "tenant"])
            }
        }
    }

    // MARK: - What is not sent at all

    @Test func `a value with a line feed never reaches the wire, nor the error`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            try await withClient { client in
                let value = "Bearer secret\r\nX-Evil: 1"
                let provider = LooseProvider(["Authorization": value])
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.received(.get(server.url("/")), authorizedBy: provider)
                }
                #expect(error?.reason == .malformedCredential)
                #expect(!"\(error as Any)".contains("secret"))
                #expect(await server.connections == 0)
            }
        }
    }
}
/// Fetches its token through this package.
private struct FetchingService: RefreshableTokenService {
    let client: HTTPClient
    let url: URL

    func initialToken() async throws -> TestToken {
        let response = try await client.execute(
            .get(url), timeout: .seconds(60), authorizedBy: .header("X-Client", "key"), clientFollowsRedirects: false)
        return TestToken(String(buffer: try await response.body.collect(upTo: 1 << 10)))
    }

    func refresh(_ token: TestToken) async throws -> TestToken { try await initialToken() }
}

private struct Tenant: AuthorizationProvider {
    let base: any AuthorizationProvider

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try await base.credential(for: request).adding("tenant", in: "Cookie")
    }
}
#endif
