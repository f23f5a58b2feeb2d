// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import TestProviders
import Testing

/// One time for the whole call, and its cancellation at every stage.
@Suite(.timeLimit(.minutes(1))) struct LimitTests {
    private func timeOut(
        of provider: any AuthorizationProvider, on server: RawServer, after timeout: TimeAmount = .milliseconds(200)
    ) async throws {
        try await withClient { client in
            let error = await #expect(throws: HTTPClientError.self) {
                try await client.execute(.get(server.url("/")), timeout: timeout, authorizedBy: provider)
            }
            #expect(error == .deadlineExceeded)
        }
    }

    @Test func `a provider that waits is waited for until the time is over`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            try await timeOut(of: WaitingProvider(waitsToAuthorize: true), on: server)
            #expect(await server.connections == 0)
        }
    }

    @Test func `so is one that waits after a 401`() async throws {
        try await withServer { _ in
            .unauthorized("Bearer")
        } body: { server in
            // On a busy machine the first may run out before the server has refused anything.
            var (calls, requests) = (0, 0)
            for timeout in [TimeAmount.milliseconds(200), .seconds(3), .seconds(20)] where requests == 0 {
                try await timeOut(of: WaitingProvider(waitsToAuthorize: false), on: server, after: timeout)
                calls += 1
                requests = await server.requests.count
            }
            #expect((1...calls).contains(requests))
        }
    }

    @Test func `a server that is silent is waited for until the time is over`() async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            try await timeOut(of: CountingProvider(), on: server)
        }
    }

    @Test func `the second try has what the first one left of the time`() async throws {
        // In a process of its own, whose threads nobody else keeps.
        await #expect(processExitsWith: .success) {
            // On a busy machine a short time may be over before there is a second try.
            var tries = 0
            for factor in [1, 4, 12] where tries < 2 {
                tries = try await LimitTests.triesThatShareTime(factor)
            }
            #expect(tries == 2, "\(tries)")
        }
    }

    /// - Parameter factor: makes all times longer.
    private static func triesThatShareTime(_ factor: Int) async throws -> Int {
        try await withServer { request in
            request["Authorization"] == "Bearer 0"
                ? .unauthorized("Bearer", body: "no").after(.milliseconds(1500 * factor)) : .silence
        } body: { server in
            try await withClient { client in
                let start = ContinuousClock.now
                let error = await #expect(throws: HTTPClientError.self) {
                    try await client.execute(
                        .get(server.url("/")), timeout: .seconds(Int64(2 * factor)), authorizedBy: CountingProvider())
                }
                #expect(error == .deadlineExceeded)
                #expect(ContinuousClock.now - start < .milliseconds(3400 * factor))
                return await server.requests.count
            }
        }
    }

    @Test func `a deadline that has passed sends nothing`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            try await withClient { client in
                for waits in [true, false] {
                    let error = await #expect(throws: HTTPClientError.self) {
                        try await client.execute(
                            .get(server.url("/")), deadline: .now() - .seconds(1),
                            authorizedBy: WaitingProvider(waitsToAuthorize: waits))
                    }
                    #expect(error == .deadlineExceeded)
                }
            }
            #expect(await server.requests.isEmpty)
        }
    }

    // MARK: - Cancellation

    @Test(arguments: [true, false]) func `cancelling ends the wait for a provider`(
        waitsToAuthorize: Bool
    ) async throws {
        let provider = WaitingProvider(waitsToAuthorize: waitsToAuthorize)
        try await withServer { _ in
            .unauthorized("Bearer")
        } body: { server in
            try await withClient { client in
                let request = HTTPClientRequest.get(server.url("/"))
                let call = Task {
                    _ = try await client.execute(request, timeout: .hours(1), authorizedBy: provider)
                }
                for await _ in provider.waiting { break }
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
            }
        }
    }

    @Test(arguments: [1, 2]) func `cancelling ends a try, and its connection`(requests: Int) async throws {
        try await withServer { request in
            requests == 2 && request["Authorization"] == "Bearer 0" ? .unauthorized("Bearer", body: "no") : .silence
        } body: { server in
            try await withClient { client in
                let request = HTTPClientRequest.get(server.url("/"))
                let call = Task {
                    _ = try await client.execute(request, timeout: .hours(1), authorizedBy: CountingProvider())
                }
                await server.waitForRequests(requests)
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
                await server.waitForDepartures(1)
            }
        }
    }
}
#endif
