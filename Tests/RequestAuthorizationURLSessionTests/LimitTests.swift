// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationURLSession
import TestProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Time-outs and cancellation. A server that answers late stands for one that never does: without the time-out under test the
/// call would succeed.
@Suite(.timeLimit(.minutes(1))) struct LimitTests {
    private func session(_ change: (URLSessionConfiguration) -> Void) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return URLSession(configuration: configuration)
    }

    /// On a busy machine an answer may be late for good reason; a time-out that is cut to nothing ends every try.
    private func firstOfFive(_ body: () async throws -> Way.Received) async throws -> Way.Received {
        for _ in 0..<4 {
            do { return try await body() } catch let error as URLError where error.code == .timedOut {}
        }
        return try await body()
    }

    // MARK: - Time-outs

    @Test(arguments: Way.allCases) func `a time-out under a second ends the wait`(way: Way) async throws {
        try await withServer { _ in
            .text("late").after(.milliseconds(900))
        } body: { server in
            var request = way.request(server.url("/"))
            request.timeoutInterval = 0.2
            let error = await #expect(throws: URLError.self) { try await way.send(request) }
            #expect(error?.code == .timedOut)
            await server.waitForDepartures(1)
        }
    }

    @Test(arguments: Way.allCases) func `a time-out under a second leaves time for an answer`(way: Way) async throws {
        try await withServer { _ in
            .text("slow").after(.milliseconds(50))
        } body: { server in
            var request = way.request(server.url("/"))
            request.timeoutInterval = 0.99
            let received = try await firstOfFive { try await way.send(request) }
            #expect(received == .init(200, "slow"))
        }
    }

    @Test func `a time-out of the session under a second ends the wait and leaves time for an answer`() async throws {
        let session = session { $0.timeoutIntervalForRequest = 0.99 }
        try await withServer { request in
            .text("slow").after(.milliseconds(request.target == "/slow" ? 50 : 2500))
        } body: { server in
            let received = try await firstOfFive {
                try await Way.data.send(URLRequest(url: server.url("/slow")), through: session)
            }
            #expect(received == .init(200, "slow"))
            let error = await #expect(throws: URLError.self) {
                try await Way.data.send(URLRequest(url: server.url("/late")), through: session)
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func `a time-out that the request was made with is kept`() async throws {
        try await withServer { _ in
            .text("late").after(.milliseconds(2500))
        } body: { server in
            let error = await #expect(throws: URLError.self) {
                try await Way.data.send(URLRequest(url: server.url("/"), timeoutInterval: 1))
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func `a time-out is not cut to whole seconds`() async throws {
        try await withServer { _ in
            .text("slow").after(.milliseconds(1200))
        } body: { server in
            var request = URLRequest(url: server.url("/"))
            request.timeoutInterval = 1.9
            let received = try await firstOfFive { try await Way.data.send(request) }
            #expect(received == .init(200, "slow"))
        }
    }

    @Test(arguments: Way.allCases) func `the session's limit for a whole call is kept`(way: Way) async throws {
        let session = session { $0.timeoutIntervalForResource = 0.2 }
        try await withServer { _ in
            .text("late").after(.milliseconds(900))
        } body: { server in
            let error = await #expect(throws: URLError.self) {
                try await way.send(way.request(server.url("/")), through: session)
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func `the session's limit for a whole call counts all redirects together`() async throws {
        let session = session { $0.timeoutIntervalForResource = 0.5 }
        try await withServer { request in
            let number = Int(request.target.dropFirst()) ?? 0
            return (number == 5 ? Answer.text("late") : .redirect(302, to: "/\(number + 1)")).after(.milliseconds(200))
        } body: { server in
            let error = await #expect(throws: URLError.self) {
                try await Way.data.send(URLRequest(url: server.url("/0")), through: session)
            }
            #expect(error?.code == .timedOut)
        }
    }

    // MARK: - Cancellation

    @Test(arguments: Way.allCases) func `cancelling while the server is silent ends call and connection`(
        way: Way
    ) async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            let request = way.request(server.url("/"))
            let call = Task { try await way.send(request) }
            await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await server.waitForDepartures(1)
        }
    }

    @Test(arguments: Way.allCases) func `a call that was cancelled before it began sends nothing`(way: Way) async throws
    {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let request = way.request(server.url("/"))
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await way.send(request)
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await server.requests.isEmpty)
        }
    }

    @Test func `cancelling in the middle of an answer ends the call`() async throws {
        let half = Answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        try await withServer { _ in
            half
        } body: { server in
            let request = URLRequest(url: server.url("/"))
            let call = Task { try await Way.data.send(request) }
            await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await server.waitForDepartures(1)
        }
    }

    @Test func `cancelling behind a redirect ends the call`() async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .silence
        } body: { server in
            let request = URLRequest(url: server.url("/a"))
            let call = Task { try await Way.data.send(request) }
            await server.waitForRequests(2)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func `cancelling the second try ends the call`() async throws {
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Basic realm=\"x\"") : .silence
        } body: { server in
            let request = URLRequest(url: server.url("/"))
            let call = Task { try await Way.data.send(request) }
            await server.waitForRequests(2)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test(arguments: [true, false]) func `cancelling while the provider waits ends the call`(
        beforeSending: Bool
    ) async throws {
        try await withServer { _ in
            .unauthorized("Bearer")
        } body: { server in
            let provider = WaitingProvider(waitsToAuthorize: beforeSending)
            let request = URLRequest(url: server.url("/"))
            let call = Task { try await Way.data.send(request, authorizedBy: provider) }
            for await _ in provider.waiting { break }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await server.requests.count == (beforeSending ? 0 : 1))
        }
    }

    @Test func `cancelling ends the call while the session's queue is busy`() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
        let gate = DispatchSemaphore(value: 0)
        queue.addOperation { gate.wait() }
        defer { gate.signal() }
        try await withServer { _ in
            .silence
        } body: { server in
            let request = URLRequest(url: server.url("/"))
            let call = Task { try await Way.data.send(request, through: session) }
            await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }
}
#endif
