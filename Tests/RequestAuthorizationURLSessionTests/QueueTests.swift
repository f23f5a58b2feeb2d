// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking) && Full
import Foundation
import FoundationNetworking
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

/// On Linux a request with a body gets a connection of its own. The number per host is limited, and further requests
/// wait.
@Suite(.timeLimit(.minutes(5))) struct QueueTests {
    private let queue = HostQueue()

    // MARK: - Waiting

    @Test func `a queued call that is cancelled ends at once`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let (slots, url) = (try queue.occupy(server), server.url("/"))
            let call = Task { try await queue.post(url, .bearer("abc")) }
            await queue.waits.reaches(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            slots.give(at: try queue.host(server))
            let isFree = slots.takeAtOnce(at: try queue.host(server), limit: 1)
            #expect(isFree)
            #expect(await server.requests.isEmpty)
        }
    }

    @Test func `the time limit of the call includes the queue`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.2
        let session = URLSession(configuration: configuration)
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let isTaken = Carrier.of(session).slots.takeAtOnce(at: try queue.host(server), limit: 1)
            #expect(isTaken)
            let error = await #expect(throws: URLError.self) {
                _ = try await session.upload(
                    for: Way.uploadData.request(server.url("/")), from: Data("body".utf8),
                    authorizedBy: .bearer("abc"), connection: .automatic.atMost(1))
            }
            #expect(error?.code == .timedOut)
            #expect(await server.requests.isEmpty)
        }
    }

    @Test func `six long polls with bodies delay further requests with bodies to that host alone`() async throws {
        let session = HostQueue.session(connections: 6)
        let (waits, seventhIsQueuedOrSent, isOver) = (Tally(), Tally(), Tally())
        Carrier.of(session).slots.onWait {
            waits.add()
            seventhIsQueuedOrSent.add()
            // Only the seventh should wait. If another one waits, the polls end, so that the test does too.
            if waits.count > 1 { isOver.add() }
        }
        let script: RawServer.Script = { request in
            if request.target == "/poll" { await isOver.reaches(1) }
            if request.target == "/seventh" { seventhIsQueuedOrSent.add() }
            return .text("hello")
        }
        try await withServer(script) { server in
            try await withServer(script) { other in
                @Sendable func upload(_ url: URL) async throws -> Int {
                    let (_, response) = try await session.upload(
                        for: Way.uploadData.request(url), from: Data("x".utf8), authorizedBy: .bearer("abc"))
                    return (response as? HTTPURLResponse)?.statusCode ?? 0
                }
                let poll = server.url("/poll")
                let polls = (0..<6).map { _ in Task { try await upload(poll) } }
                await server.waitForRequests(6)
                let seventh = Task { [url = server.url("/seventh")] in try await upload(url) }
                await seventhIsQueuedOrSent.reaches(1)
                #expect(try await Way.data.send(URLRequest(url: server.url("/get")), through: session).status == 200)
                let elsewhere = try await upload(other.url("/"))
                #expect(elsewhere == 200)
                #expect(await server.requests.count { $0.target == "/seventh" } == 0)
                #expect(waits.count == 1)
                isOver.add()
                #expect(try await seventh.value == 200)
                for poll in polls { #expect(try await poll.value == 200) }
            }
        }
    }

    @Test func `a redirect to the same origin keeps its slot, and one to another origin waits for a slot`() async throws
    {
        try await withServer { _ in
            .text("hello")
        } body: { other in
            try await withServer { request in
                switch request.target {
                case "/a": .redirect(307, to: "/b")
                case "/c": .redirect(307, to: other.url("/d").absoluteString)
                default: .text("hello")
                }
            } body: { server in
                #expect(try await queue.post(server.url("/a"), .bearer("abc")) == 200)
                #expect(queue.waits.count == 0)
                let (slots, elsewhere, url) = (Carrier.of(queue.session).slots, try queue.host(other), server.url("/c"))
                #expect(slots.takeAtOnce(at: elsewhere, limit: 1))
                let call = Task { try await queue.post(url, .bearer("abc")) }
                await queue.waits.reaches(1)
                // It waits for the other host's slot, and holds none of this host.
                #expect(try await queue.post(server.url("/e"), .bearer("abc")) == 200)
                slots.give(at: elsewhere)
                #expect(try await call.value == 200)
                #expect(await other.requests.map(\.text) == ["body"])
            }
        }
    }

    // MARK: - Reuse

    @Test func `a request that may be repeated shares the session's connections, and is not queued`() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            _ = try queue.occupy(server)
            for _ in 0..<3 { #expect(try await queue.post(server.url("/"), .bearer("abc"), .reused) == 200) }
            var request = Way.uploadData.request(server.url("/"))
            request.setValue("8e03978e", forHTTPHeaderField: "idempotency-key")
            #expect(try await Way.uploadData.send(request, through: queue.session).status == 200)
            #expect(await server.requests.map(\.connection) == [1, 1, 1, 1])
            #expect(queue.waits.count == 0)
        }
    }

    @Test func `a body that can be read once is not repeated, whatever the caller says`() throws {
        var request = URLRequest(url: try #require(URL(string: "https://a.example/")))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        request.setValue("8e03978e", forHTTPHeaderField: "Idempotency-Key")
        #expect(RequestBody.ofRequest.needsOwnConnection(with: request, .reused))
        #expect(!RequestBody.data(Data("body".utf8)).needsOwnConnection(with: request, .reused))
    }

    // MARK: - Many

    @Test func `a thousand uploads at 1 024 descriptors are all answered`() async throws {
        // In a separate process, which has this limit.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 1_024, rlim_max: 1_024)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let open = Lock((now: 0, most: 0))
            try await withServer { _ in
                open.withLock { open in
                    open.now += 1
                    open.most = max(open.most, open.now)
                }
                await Task.yield()
                open.withLock { $0.now -= 1 }
                return .text("hello")
            } body: { server in
                let url = server.url("/")
                let answered = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<1_000 {
                        group.addTask { (try? await Way.uploadData.send(Way.uploadData.request(url)).status) == 200 }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(answered == 1_000)
                #expect(await server.requests.count == 1_000)
            }
            #expect(open.withLock { $0.most } <= 6)
        }
    }
}
#endif
