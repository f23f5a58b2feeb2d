// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationTesting
import TestProviders
import Testing

/// Fails at once.
private struct FailingProvider: AuthorizationProvider {
    struct Failure: Error {}

    func credential(for request: some AuthorizableRequest) async throws -> Credential { throw Failure() }
}

/// Fails at once after a 401, which cancels the call before.
private struct CancellingProvider: AuthorizationProvider {
    let call = OneShot<Task<Void, any Error>>()
    private let isRefused = Lock(false)

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        if isRefused.withLock({ $0 }) { throw FailingProvider.Failure() }
        return try .bearer("0") { _ in
            try await call.value().cancel()
            isRefused.withLock { $0 = true }
            return .anew
        }
    }
}

/// Ignores its cancellation, and then fails.
private struct StubbornProvider: AuthorizationProvider {
    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let end = OneShot<Void>()
        try await withTaskCancellationHandler {
            try await end.valueIgnoringCancellation()
        } onCancel: {
            end.fulfill()
        }
        throw FailingProvider.Failure()
    }
}

/// One time for the whole call, and its cancellation at every stage.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
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

    @Test func `a call waits for a provider until its time is over`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            try await timeOut(of: WaitingProvider(waitsToAuthorize: true), on: server)
            #expect(await server.connections == 0)
        }
    }

    @Test func `a provider that fails when the time is over does not change the error`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            try await timeOut(of: StubbornProvider(), on: server)
            #expect(await server.connections == 0)
        }
    }

    @Test func `a call waits for a provider after a 401 until its time is over`() async throws {
        try await withServer { _ in
            .unauthorized("Bearer")
        } body: { server in
            // On a busy machine the first time-out may end before the server has refused anything.
            var (calls, requests) = (0, 0)
            for timeout in [TimeAmount.milliseconds(200), .seconds(3), .seconds(20)] where requests == 0 {
                try await timeOut(of: WaitingProvider(waitsToAuthorize: false), on: server, after: timeout)
                calls += 1
                requests = await server.requests.count
            }
            #expect((1...calls).contains(requests))
        }
    }

    @Test func `a call waits for a silent server until its time is over`() async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            try await timeOut(of: CountingProvider(), on: server)
        }
    }

    /// Another call shows which time ends the second try. It ends later than the first try's time, and sooner than a
    /// new time for the second try would. One event loop keeps the times in order, however busy the machine is.
    @Test func `the second try has the time that the first one left`() async throws {
        let time = TimeAmount.seconds(30)
        let refusing = OneShot<Void>()
        try await withServer { request in
            guard request["Authorization"] == "Bearer 0" else { return .silence }
            try await refusing.value()
            return .unauthorized("Bearer", body: "no")
        } body: { server in
            try await withClient(on: HTTPClient.defaultEventLoopGroup.any()) { client in
                let request = HTTPClientRequest.get(server.url("/"))
                let call = Task {
                    _ = try await client.execute(request, timeout: time, authorizedBy: CountingProvider())
                }
                await server.waitForRequests(1)
                let later = NIODeadline.now() + time
                refusing.fulfill(with: .success(()))
                await server.waitForRequests(2)
                await #expect(throws: HTTPClientError.deadlineExceeded) {
                    try await client.execute(request, deadline: later)
                }
                call.cancel()
                await #expect(throws: HTTPClientError.deadlineExceeded) { try await call.value }
                #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", "Bearer 1", nil])
            }
        }
    }

    @Test func `a deadline that has passed sends nothing`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            try await withClient { client in
                let providers: [any AuthorizationProvider] = [
                    WaitingProvider(waitsToAuthorize: true), WaitingProvider(waitsToAuthorize: false), .bearer("0"),
                ]
                for provider in providers {
                    let error = await #expect(throws: HTTPClientError.self) {
                        try await client.execute(
                            .get(server.url("/")), deadline: .now() - .seconds(1), authorizedBy: provider)
                    }
                    #expect(error == .deadlineExceeded)
                }
            }
            #expect(await server.requests.isEmpty)
        }
    }

    // MARK: - Cancellation

    @Test func `a call that is cancelled before it begins is not sent`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            try await withClient { client in
                let request = HTTPClientRequest.get(server.url("/"))
                // The client itself gives up some of these calls in time, and not others.
                for _ in 0..<20 {
                    let call = Task {
                        withUnsafeCurrentTask { $0?.cancel() }
                        _ = try await client.execute(request, timeout: .hours(1), authorizedBy: .bearer("0"))
                    }
                    await #expect(throws: CancellationError.self) { try await call.value }
                }
                #expect(await server.connections == 0)
            }
        }
    }

    @Test func `a call that is cancelled before it begins does not tell of its provider's failure`() async throws {
        try await withClient { client in
            let request = HTTPClientRequest(url: "http://127.0.0.1:1/")
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await client.execute(request, timeout: .hours(1), authorizedBy: FailingProvider())
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            await #expect(throws: FailingProvider.Failure.self) {
                try await client.execute(request, timeout: .hours(1), authorizedBy: FailingProvider())
            }
        }
    }

    @Test func `a call that is cancelled after a 401 does not tell of its provider's failure`() async throws {
        let provider = CancellingProvider()
        try await withServer { _ in
            .unauthorized("Bearer")
        } body: { server in
            try await withClient { client in
                let request = HTTPClientRequest.get(server.url("/"))
                let call = Task {
                    _ = try await client.execute(request, timeout: .hours(1), authorizedBy: provider)
                }
                provider.call.fulfill(with: .success(call))
                await #expect(throws: CancellationError.self) { try await call.value }
            }
        }
    }

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
