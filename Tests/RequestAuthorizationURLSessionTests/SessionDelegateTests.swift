// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sessions with a delegate of their own, of every kind.
@Suite(.timeLimit(.minutes(5))) struct SessionDelegateTests {
    enum Kind: CaseIterable {
        case none, plain, task, data, download

        func delegate(_ onRedirect: @escaping RecordingTaskDelegate.OnRedirect) -> (any URLSessionDelegate)? {
            switch self {
            case .none: nil
            case .plain: PlainDelegate()
            case .task: RecordingTaskDelegate(onRedirect)
            case .data: RecordingDataDelegate(onRedirect)
            case .download: RecordingDownloadDelegate(onRedirect)
            }
        }

        var hearsOfRedirects: Bool { self != .none && self != .plain }
    }

    private func session(
        _ kind: Kind, onRedirect: @escaping RecordingTaskDelegate.OnRedirect = { $0 }
    ) -> (URLSession, RecordingTaskDelegate?) {
        let delegate = kind.delegate(onRedirect)
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        return (session, delegate as? RecordingTaskDelegate)
    }

    @Test(arguments: Kind.allCases, Way.allCases)
    func `an answer, a redirect and a 401 that offers Basic are the same with any delegate`(
        kind: Kind, way: Way
    ) async throws {
        try await withServer { request in
            switch (request.target, request["Authorization"]) {
            case ("/", _): .redirect(307, to: "/b")
            case (_, "Bearer 0"): .unauthorized("Basic realm=\"x\"", body: "no")
            default: .text("hello")
            }
        } body: { server in
            let (session, delegate) = session(kind)
            let provider = CountingProvider()
            let received = try await way.send(way.request(server.url("/")), through: session, authorizedBy: provider)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map(\.target) == ["/", "/b", "/b"])
            #expect(await server.requests.map(\.text) == Array(repeating: way.sentBody, count: 3))
            #expect(delegate?.events.withLock { $0 } ?? [] == (kind.hearsOfRedirects ? ["307 /b"] : []))
            session.invalidateAndCancel()
        }
    }

    @Test(arguments: Kind.allCases.filter(\.hearsOfRedirects), Way.allCases)
    func `the session's delegate may refuse a redirect`(kind: Kind, way: Way) async throws {
        try await withServer { _ in
            .redirect(302, to: "/b")
        } body: { server in
            let (session, _) = session(kind) { _ in nil }
            let received = try await way.send(way.request(server.url("/")), through: session)
            #expect(received.status == 302)
            #expect(await server.requests.count == 1)
            session.invalidateAndCancel()
        }
    }

    @Test func `the session's delegate may change a redirect, and sees it without its credential`() async throws {
        try await withServer { request in
            request.target == "/" ? .redirect(302, to: "http://localhost:\(request.port)/b") : .text("hello")
        } body: { server in
            let target = server.url("/c", host: "localhost")
            let (session, delegate) = session(.task) { request in
                var request = request
                request.url = target
                request.setValue("seen", forHTTPHeaderField: "X-Delegate")
                return request
            }
            _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            #expect(delegate?.proposed.withLock { $0.map { $0.credential(in: "Authorization") } } == [nil])
            let last = try #require(await server.requests.last)
            #expect(last.target == "/c")
            #expect(last["X-Delegate"] == "seen")
            #expect(last["Authorization"] == nil)
        }
    }

    @Test func `a delegate cannot redirect a credential to another origin`() async throws {
        try await withServer { request in
            request.target == "/" ? .redirect(302, to: "/b") : .text("hello")
        } body: { server in
            let elsewhere = server.url("/c", host: "localhost")
            let (session, _) = session(.task) { request in
                var request = request
                request.url = elsewhere
                return request
            }
            _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            let last = try #require(await server.requests.last)
            #expect(last["Host"] == "localhost:\(server.port)")
            #expect(last["Authorization"] == nil)
        }
    }

    /// Nothing is sent: the task never begins.
    @Test(arguments: [RequestBody.ofRequest, .data(Data("text".utf8))])
    func `a delegate takes no body from https to http`(body: RequestBody) async throws {
        let elsewhere = try #require(URL(string: "http://api.example.com/c"))
        let (session, recorder) = session(.task) { request in
            var request = request
            request.url = elsewhere
            return request
        }
        let url = try #require(URL(string: "https://api.example.com/"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        if case .ofRequest = body { request.httpBody = Data("text".utf8) }
        let fields = ["Location": "/b"]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 307, httpVersion: "HTTP/1.1", headerFields: fields))
        let delegate = HopDelegate(rule: RedirectRule(), request: request, body: body, session: session)
        let task = session.dataTask(with: request)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request
            ) { _ in continuation.resume() }
        }
        #expect(recorder?.events.withLock { $0 } == ["307 /b"])
        #expect(delegate.redirection == nil)
    }

    @Test(arguments: [nil, "Bearer other"] as [String?])
    func `a 401 is no refusal of a credential that a delegate has removed or replaced`(other: String?) async throws {
        try await withServer { request in
            request.target == "/" ? .redirect(302, to: "/b") : .unauthorized("Bearer")
        } body: { server in
            let (session, _) = session(.task) { request in
                var request = request
                request.setValue(other, forHTTPHeaderField: "Authorization")
                return request
            }
            let provider = CountingProvider()
            let received = try await Way.data.send(
                URLRequest(url: server.url("/")), through: session, authorizedBy: provider)
            #expect(received.status == 401)
            #expect(provider.refusals == 0)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer 0", other])
        }
    }

    @Test(arguments: Way.allCases) func `the session's delegate is called with its own session`(way: Way) async throws {
        try await withServer { request in
            request.target == "/" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let (session, delegate) = session(.task)
            _ = try await way.send(way.request(server.url("/")), through: session)
            #expect(delegate?.sessions.withLock { $0.allSatisfy { $0 === session } && $0.count == 1 } == true)
        }
    }

    @Test func `a protocol class of the session answers in place of the network`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockProtocol.self]
        let session = URLSession(configuration: configuration)
        let request = URLRequest(url: try #require(URL(string: "https://api.example.com/me")))
        let provider = CountingProvider()
        let (data, response) = try await session.data(for: request, authorizedBy: provider)
        #expect(String(decoding: data, as: UTF8.self) == "Bearer 1")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let token = try await session.send(TokenRequest(url: try #require(URL(string: "https://api.example.com/t"))))
        #expect(token.statusCode == 200)
        #expect(String(decoding: token.body, as: UTF8.self) == "none")
    }
}

final class PlainDelegate: NSObject, URLSessionDelegate {}

/// `@unchecked` because it has subclasses; all it holds is locked.
class RecordingTaskDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    typealias OnRedirect = @Sendable (URLRequest) -> URLRequest?

    let events = Lock<[String]>([])
    let proposed = Lock<[URLRequest]>([])
    let sessions = Lock<[URLSession]>([])
    let onRedirect: OnRedirect

    init(_ onRedirect: @escaping OnRedirect) { self.onRedirect = onRedirect }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        events.withLock { $0.append("\(response.statusCode) \(request.url?.path ?? "")") }
        proposed.withLock { $0.append(request) }
        sessions.withLock { $0.append(session) }
        completionHandler(onRedirect(request))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The package handles the 401: with a delegate like this one, URLSession would replace the credential.
        events.withLock { $0.append("challenge") }
        completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
    }
}

final class RecordingDataDelegate: RecordingTaskDelegate, URLSessionDataDelegate, @unchecked Sendable {}

final class RecordingDownloadDelegate: RecordingTaskDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}

/// Answers 401 to `Bearer 0`, and otherwise with the credential.
final class MockProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let credential = request.value(forHTTPHeaderField: "Authorization")
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: credential == "Bearer 0" ? 401 : 200, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data((credential ?? "none").utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
#endif
