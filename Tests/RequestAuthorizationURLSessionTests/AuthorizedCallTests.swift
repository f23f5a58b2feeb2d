// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct AuthorizedCallTests {
    private func call(_ statuses: Int...) -> AuthorizedCall<ScriptedReceiver> {
        AuthorizedCall(session: .shared, body: .ofRequest, receiver: ScriptedReceiver(statuses), connection: .automatic)
    }

    private func request() throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "https://api.example.com/")))
    }

    @Test func `answers that the caller does not get are released, the last one is not`() async throws {
        let call = call(302, 401, 307, 200)
        let (body, _) = try await call.send(try request(), authorizedBy: Persistent(), refreshCount: 1)
        #expect(body == "4")
        #expect(call.receiver.discarded.withLock { $0 } == ["1", "2", "3"])
    }

    @Test func `a 401 is released if the refresh fails`() async throws {
        let call = call(401)
        await #expect(throws: URLError.self) {
            try await call.send(try request(), authorizedBy: Persistent(isOffline: true), refreshCount: 1)
        }
        #expect(call.receiver.discarded.withLock { $0 } == ["1"])
    }

    @Test func `a 401 that is returned is kept`() async throws {
        let call = call(401)
        let (body, _) = try await call.send(try request(), authorizedBy: .bearer("abc"), refreshCount: 1)
        #expect(body == "1")
        #expect(call.receiver.discarded.withLock { $0 } == [])
    }

    @Test func `nothing is sent when the time is over`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0
        let call = AuthorizedCall(
            session: URLSession(configuration: configuration), body: .ofRequest, receiver: ScriptedReceiver([200]),
            connection: .automatic)
        let book = ProofBook()
        let service = ProvingTokenService(ScriptedTokenService<TestToken>(), book: book)
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"))
        let error = await #expect(throws: URLError.self) {
            try await call.send(try request(), authorizedBy: auth, refreshCount: 1)
        }
        #expect(error?.code == .timedOut)
        #expect(call.receiver.count.withLock { $0 } == 0)
        // Nobody waits for the answer to its proof.
        #expect(book.withdrawn == ["1 GET https://api.example.com/ -"])
    }

    @Test func `no proof is made for a redirect that is not followed any more`() async throws {
        let receiver = ScriptedReceiver(Array(repeating: 302, count: 21))
        let call = AuthorizedCall(session: .shared, body: .ofRequest, receiver: receiver, connection: .automatic)
        let book = ProofBook()
        let service = ProvingTokenService(ScriptedTokenService<TestToken>(), book: book)
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"))
        let error = await #expect(throws: URLError.self) {
            try await call.send(try request(), authorizedBy: auth, refreshCount: 1)
        }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(book.proofs == 21)
    }
}

/// Wants a retry after every 401, unless the network is down.
private struct Persistent: AuthorizationProvider {
    var isOffline = false

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try .bearer("persistent") { [isOffline] _ in
            if isOffline { throw URLError(.notConnectedToInternet) }
            return .anew
        }
    }
}

/// Answers with the given statuses; the bodies are "1", "2" and so on.
private struct ScriptedReceiver: BodyReceiver {
    let discarded = Lock<[String]>([])
    /// The number of requests.
    let count = Lock(0)
    private let statuses: [Int]

    init(_ statuses: [Int]) { self.statuses = statuses }

    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (String, URLResponse) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let status = statuses[number - 1]
        let url = try #require(request.url)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["Location": "/next"]))
        if 300..<400 ~= status {
            delegate.urlSession(
                carrier.session, task: carrier.session.dataTask(with: request), willPerformHTTPRedirection: response,
                newRequest: request
            ) { _ in }
        }
        return ("\(number)", response)
    }

    func discard(_ body: String) { discarded.withLock { $0.append(body) } }
}
