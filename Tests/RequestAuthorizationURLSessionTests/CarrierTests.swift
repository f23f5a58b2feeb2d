// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking) && Full
import Foundation
import FoundationNetworking
import LoopbackServer
import RequestAuthorizationURLSession
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

/// The package's session that carries the calls of a user's session on Linux.
@Suite(.timeLimit(.minutes(5))) struct CarrierTests {
    @Test func `one session has one carrier, and another session another one`() {
        let (one, two) = (URLSession(configuration: .ephemeral), URLSession(configuration: .ephemeral))
        #expect(Carrier.of(one) === Carrier.of(one))
        #expect(Carrier.of(one) !== Carrier.of(two))
    }

    @Test func `a carrier has the session's configuration, cookies and cache`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        configuration.timeoutIntervalForResource = 70
        configuration.httpAdditionalHeaders = ["X-Widget": "1"]
        configuration.httpMaximumConnectionsPerHost = 3
        let session = URLSession(configuration: configuration)
        let carrier = Carrier.of(session)
        #expect(carrier.settings.idleTimeout == 7)
        #expect(carrier.settings.wholeTimeout == 70)
        #expect(carrier.settings.addedFields == ["x-widget"])
        let (mine, theirs) = (carrier.session.configuration, session.configuration)
        #expect(mine.httpMaximumConnectionsPerHost == 3)
        #expect(mine.httpCookieStorage === theirs.httpCookieStorage)
        #expect(mine.urlCache === theirs.urlCache)
    }

    @Test func `a carrier goes when its session has gone and another session is carried`() {
        let entries = Carrier.Entries([:])  // In those of the process, other tests may retain the session.
        var session: URLSession? = URLSession(configuration: .ephemeral)
        weak let gone = session
        weak let carrier = session.map { Carrier.of($0, among: entries) }
        #expect(carrier != nil)
        session = nil
        #expect(gone == nil)
        _ = Carrier.of(URLSession(configuration: .ephemeral), among: entries)
        #expect(carrier == nil)
    }

    /// Many sessions are made and released, so that some have the addresses of earlier ones.
    @Test func `a session at the address of a released one gets a carrier of its own`() {
        for round in 1...20 {
            let sessions = (1...50).map { number in
                let configuration = URLSessionConfiguration.ephemeral
                configuration.timeoutIntervalForRequest = TimeInterval(100 * round + number)
                return URLSession(configuration: configuration)
            }
            for session in sessions {
                #expect(Carrier.of(session).settings.idleTimeout == session.configuration.timeoutIntervalForRequest)
            }
        }
    }

    @Test func `concurrent calls share a carrier`() {
        for _ in 0..<1_000 {
            let session = URLSession(configuration: .ephemeral)
            let carriers = Lock<[Carrier]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let carrier = Carrier.of(session)
                carriers.withLock { $0.append(carrier) }
            }
            #expect(carriers.withLock { Set($0.map(ObjectIdentifier.init)).count } == 1)
        }
    }

    @Test func `operations on a carrier's queue run at once`() {
        let isDone = Lock(false)
        Carrier.of(.shared).session.delegateQueue.addOperation { isDone.withLock { $0 = true } }
        #expect(isDone.withLock { $0 })
    }

    @Test func `a cached answer is used only for requests without a credential`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let session = Self.caching()
            let request = URLRequest(url: server.url("/"))
            let fields = ["Date": Self.now, "Cache-Control": "max-age=600", "Content-Type": "text/plain"]
            let kept = try #require(
                HTTPURLResponse(url: server.url("/"), statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
            session.configuration.urlCache?.storeCachedResponse(
                CachedURLResponse(response: kept, data: Data("kept".utf8)), for: request)
            let first = try await Way.data.send(request, through: session, authorizedBy: LooseProvider([:]))
            #expect(first == .init(200, "kept"))
            let second = try await Way.data.send(request, through: session, authorizedBy: .bearer("abc"))
            #expect(second == .init(200, "hello"))
            // It may be the answer to another key.
            let third = try await Way.data.send(request, through: session, authorizedBy: .header("X-API-Key", "k"))
            #expect(third == .init(200, "hello"))
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer abc", nil])
            // Foundation itself gives them none, after it has looked for one.
            let authorized = try await request.authorized(using: .bearer("abc"))
            #expect(Carrier.of(session).session(for: authorized, by: RedirectRule()).configuration.urlCache == nil)
            #expect(session.configuration.urlCache != nil)
        }
    }

    /// With a cache, a cancellation goes over another thread. It may come after the end of its task, and end the process.
    @Test func `a session for one request has no cache`() {
        let session = Self.caching()
        let delegate = TokenDelegate(flight: TaskFlight { _ in }, limit: 1, for: session)
        let own = [
            Carrier.of(session).withOwnConnections().session,
            session.forOneTokenRequest(delegate, timeout: .seconds(1)),
        ]
        for session in own {
            #expect(session.configuration.urlCache == nil)
            session.finishTasksAndInvalidate()
        }
    }

    /// Foundation may end the process if it cancels a task that has ended. The state tells which of the two came first.
    @Test func `a download whose file cannot be written ends before its task is cancelled`() async throws {
        let writer = FileWriter(folder: URL(fileURLWithPath: "/dev/null"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: writer, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: URLRequest(url: try #require(URL(string: "http://localhost/"))))
        let isBefore = await withCheckedContinuation { continuation in
            writer.begin(task) { file, _, error in
                #expect(file == nil && (error as? URLError)?.code == .cannotCreateFile)
                continuation.resume(returning: task.state == .suspended)
            }
            writer.urlSession(session, dataTask: task, didReceive: Data([1]))
        }
        #expect(isBefore)
    }

    private static func caching() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        return URLSession(configuration: configuration)
    }

    /// The time as servers write it (RFC 9110 §5.6.7).
    private static var now: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date())
    }

    @Test func `the session's delegate is asked on the session's own queue`() async throws {
        try await withServer { request in
            request.target == "/" ? .redirect(302, to: "/b") : .text("hello")
        } body: { server in
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let queues = Lock<[OperationQueue?]>([])
            let delegate = RecordingTaskDelegate { request in
                queues.withLock { $0.append(OperationQueue.current) }
                return request
            }
            let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
            let received = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            #expect(received == .init(200, "hello"))
            #expect(queues.withLock { $0.map { $0 === queue } } == [true])
            session.invalidateAndCancel()
        }
    }
}
#endif
