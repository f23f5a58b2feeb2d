// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking) && Full
import Foundation
import FoundationNetworking
import LoopbackServer
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationURLSession

/// The session of ours that carries the calls of a user's session on Linux.
@Suite(.timeLimit(.minutes(1))) struct CarrierTests {
    @Test func `one session has one carrier, and another session another one`() {
        let (one, two) = (URLSession(configuration: .ephemeral), URLSession(configuration: .ephemeral))
        #expect(Carrier.of(one) === Carrier.of(one))
        #expect(Carrier.of(one) !== Carrier.of(two))
    }

    @Test func `a carrier has the session's settings, cookies and cache`() throws {
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

    @Test func `a carrier goes when its session has gone and another one is carried`() {
        var session: URLSession? = URLSession(configuration: .ephemeral)
        weak let gone = session
        weak let carrier = session.map(Carrier.of)
        #expect(carrier != nil)
        session = nil
        #expect(gone == nil)
        _ = Carrier.of(URLSession(configuration: .ephemeral))
        #expect(carrier == nil)
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
