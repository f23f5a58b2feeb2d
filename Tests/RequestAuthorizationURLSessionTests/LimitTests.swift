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

/// Time-outs and cancellation. Where a time-out must end the call, the server never answers. The elapsed time shows
/// that it did not end too soon; a busy machine can only make that time longer.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    private func session(_ change: (URLSessionConfiguration) -> Void) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return URLSession(configuration: configuration)
    }

    /// - Returns: how long it took until the call timed out.
    private func timeOut(
        of request: URLRequest, _ way: Way = .data, through session: URLSession = .shared
    ) async throws -> Duration {
        let start = ContinuousClock.now
        let error = await #expect(throws: URLError.self) { try await way.send(request, through: session) }
        #expect(error?.code == .timedOut)
        return ContinuousClock.now - start
    }

    // MARK: - Time-outs

    @Test(arguments: Way.allCases) func `a time-out under a second ends the wait and the connection`(
        way: Way
    ) async throws {
        try await withServer { _ in
            .silence
        } body: { server in
            var request = way.request(server.url("/"))
            request.timeoutInterval = 0.99
            let time = try await timeOut(of: request, way)
            #expect(time >= .seconds(0.99))
            // On a busy machine the connection may be so late that the server has not seen it yet.
            try await server.waitForAllDepartures()
        }
    }

    @Test(arguments: Way.allCases, [0.2, 0.99])
    func `a time-out under a second is kept without URLSession's own time-out, and is not rounded to zero`(
        way: Way, seconds: Double
    ) async throws {
        let session = session { $0.protocolClasses = [SilentProtocol.self] }
        var request = way.request(try #require(URL(string: "http://127.0.0.1/")))
        request.timeoutInterval = seconds
        #expect(try await timeOut(of: request, way, through: session) >= .seconds(seconds))
    }

    @Test func `the session's time-out under a second is kept too`() async throws {
        let session = session {
            $0.timeoutIntervalForRequest = 0.99
            $0.protocolClasses = [SilentProtocol.self]
        }
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
        #expect(try await timeOut(of: request, through: session) >= .seconds(0.99))
    }

    /// The first is `URLSession`'s own.
    @Test(arguments: [1, 1.9]) func `a time-out is kept, and not rounded to whole seconds`(seconds: Double) async throws
    {
        try await withServer { _ in
            .silence
        } body: { server in
            let request = URLRequest(url: server.url("/"), timeoutInterval: seconds)
            let time = try await timeOut(of: request)
            // curl counts whole milliseconds.
            #expect(time >= .seconds(seconds) - .milliseconds(10))
        }
    }

    @Test(arguments: Way.allCases) func `the session's limit for a whole call is kept`(way: Way) async throws {
        // Without the limit the call would time out after a minute.
        let session = session { $0.timeoutIntervalForResource = 0.2 }
        try await withServer { _ in
            .silence
        } body: { server in
            let time = try await timeOut(of: way.request(server.url("/")), way, through: session)
            #expect(time >= .seconds(0.2))
        }
    }

    @Test(arguments: Way.allCases) func `a limit that is not reached ends nothing`(way: Way) async throws {
        let session = session { $0.timeoutIntervalForResource = 45.5 }
        try await withServer { _ in
            .text("slow").after(.milliseconds(50))
        } body: { server in
            var request = way.request(server.url("/"))
            request.timeoutInterval = 44.5
            let received = try await way.send(request, through: session)
            #expect(received == .init(200, "slow"))
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

    @Test func `a decision about a redirect after the call was cancelled does no harm`() async throws {
        // swift-corelibs-foundation would crash the process.
        await #expect(processExitsWith: .success) {
            let (questions, question) = AsyncStream<@Sendable () -> Void>.makeStream()
            let session = URLSession(
                configuration: .ephemeral, delegate: SlowDelegate(question: question), delegateQueue: nil)
            try await withServer { request in
                request.target == "/a" ? .redirect(302, to: "/b") : .text("hello")
            } body: { server in
                let request = URLRequest(url: server.url("/a"))
                let call = Task { try await Way.data.send(request, through: session) }
                for await answer in questions {
                    call.cancel()
                    await #expect(throws: CancellationError.self) { try await call.value }
                    answer()
                    break
                }
                let next = try await Way.data.send(URLRequest(url: server.url("/c")), through: session)
                #expect(next == .init(200, "hello"))
                #expect(await server.requests.map(\.target) == ["/a", "/c"])
            }
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

/// Lets the test decide when a redirect is followed.
private final class SlowDelegate: NSObject, URLSessionTaskDelegate {
    private let question: AsyncStream<@Sendable () -> Void>.Continuation

    init(question: AsyncStream<@Sendable () -> Void>.Continuation) { self.question = question }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        question.yield { completionHandler(request) }
    }
}

/// Never answers, and has no time-outs. So the call was not ended by `URLSession`.
private final class SilentProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}
}
#endif
