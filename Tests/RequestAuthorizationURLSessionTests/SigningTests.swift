// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider that signs gets the request as it is sent: method, target and body.
@Suite(.timeLimit(.minutes(5))) struct SigningTests {
    /// Reports what it was shown, instead of a signature. After a 401 it wants a retry.
    private struct Signer: AuthorizationProvider {
        func credential(for request: some AuthorizableRequest) async throws -> Credential {
            let body = request.bodyBytes.map { Data($0).base64EncodedString() } ?? "unknown"
            let path = request.targetURI?.split(separator: "/").last ?? ""
            return try Credential(
                "\(request.requestMethod ?? "") \(path) [\(body)]", isForOneRequest: true, receipt: Receipt())
        }

        private struct Receipt: CredentialReceipt {
            func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .anew }
        }
    }

    private static func shown(by way: Way) -> String {
        switch way {
        case .data, .download: ""
        case .uploadData: Data(Way.payload.utf8).base64EncodedString()
        case .uploadFile: "unknown"
        }
    }

    @Test(arguments: Way.allCases) func `a provider gets the body, in the first try and in the second`(
        way: Way
    ) async throws {
        let tries = Tally()
        try await withServer { _ in
            tries.add()
            return tries.count == 1 ? .unauthorized("Bearer") : .text("hello")
        } body: { server in
            let request = way.request(server.url("/a"))
            let received = try await way.send(request, authorizedBy: Signer())
            #expect(received == .init(200, "hello"))
            let expected = "\(request.httpMethod ?? "GET") a [\(Self.shown(by: way))]"
            #expect(await server.requests.map { $0["Authorization"] } == [expected, expected])
            #expect(await server.requests.map(\.text) == [way.sentBody, way.sentBody])
        }
    }

    @Test(arguments: Way.allCases)
    func `a request after a redirect to the same origin is authorized again, body included`(
        way: Way
    ) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let request = way.request(server.url("/a"))
            let received = try await way.send(request, authorizedBy: Signer())
            #expect(received == .init(200, "hello"))
            let (method, body) = (request.httpMethod ?? "GET", Self.shown(by: way))
            #expect(
                await server.requests.map { $0["Authorization"] } == ["\(method) a [\(body)]", "\(method) b [\(body)]"])
            #expect(await server.requests.map(\.text) == [way.sentBody, way.sentBody])
        }
    }

    @Test(arguments: [Way.uploadData, .uploadFile])
    func `a redirect that drops the body is authorized without it`(
        way: Way
    ) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(303, to: "/b") : .text("hello")
        } body: { server in
            let received = try await way.send(way.request(server.url("/a")), authorizedBy: Signer())
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.last?["Authorization"] == "GET b []")
            #expect(await server.requests.last?.body == [])
        }
    }

    @Test func `a provider gets the body of an upload`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload")
        let request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
        for (body, bytes) in [(RequestBody.data(Data([1, 2])), [1, 2]), (.file(file), nil)] as [(RequestBody, [UInt8]?)]
        {
            let shown = body.shown(on: request)
            #expect(shown.bodyBytes == bytes)
        }
        var whole = request
        whole.httpBody = Data([3])
        #expect(RequestBody.ofRequest.shown(on: whole).bodyBytes == [3])
    }

    @Test func `a closure that has no field for a request is asked again after a redirect`() async throws {
        let provider = ClosureAuthorization { request in
            request.targetURI?.hasSuffix("/b") == true ? ["X-Signature": "of b"] : [:]
        }
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let received = try await Way.data.send(Way.data.request(server.url("/a")), authorizedBy: provider)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map { $0["X-Signature"] } == [nil, "of b"])
        }
    }

    @Test func `a provider whose credential is not for one request is not asked again`() async throws {
        let provider = Numbering()
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let received = try await Way.data.send(Way.data.request(server.url("/a")), authorizedBy: provider)
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map { $0["Authorization"] } == ["Number 1", "Number 1"])
        }
    }

    /// Sets another credential each time, whatever the request.
    private struct Numbering: AuthorizationProvider {
        private let count = Tally()

        func credential(for request: some AuthorizableRequest) async throws -> Credential {
            count.add()
            return try Credential("Number \(count.count)")
        }
    }

    @Test func `a request after a redirect to another origin, and back, is not authorized`() async throws {
        try await withServer { request in
            switch request.target {
            case "/a": .redirect(302, to: "http://localhost:\(request.port)/b")
            case "/b": .redirect(302, to: "http://127.0.0.1:\(request.port)/c")
            default: .text("hello")
            }
        } body: { server in
            let received = try await Way.data.send(Way.data.request(server.url("/a")), authorizedBy: Signer())
            #expect(received == .init(200, "hello"))
            #expect(await server.requests.map { $0["Authorization"] } == ["GET a []", nil, nil])
        }
    }

    @Test func `a request that began without a session follows no redirect as who signs in meanwhile`() async throws {
        let provider = Persons()
        try await withServer { request in
            let isFirst = request["X-Person"] == nil
            provider.person.withLock { $0 = isFirst ? "a" : "b" }
            return isFirst ? .unauthorized("Bearer") : .redirect(302, to: "/b")
        } body: { server in
            let error = await #expect(throws: NotAuthorized.self) {
                try await Way.data.send(Way.data.request(server.url("/a")), authorizedBy: provider)
            }
            #expect(error?.reason == .sessionReplaced)
            #expect(await server.requests.map { $0["X-Person"] } == [nil, "a"])
        }
    }

    /// Names who is signed in. Before that, a request goes out as it is, and is bound to nobody.
    private struct Persons: AuthorizationProvider {
        let person = Lock<String?>(nil)

        func credential(for request: some AuthorizableRequest) async throws -> Credential {
            let person = person.withLock { $0 }
            return try Credential(
                person.map { ["X-Person": $0] } ?? [:], isForOneRequest: true, receipt: Receipt(person: person))
        }

        private struct Receipt: CredentialReceipt {
            let person: String?

            func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .anew }

            func admit(_ next: Credential) throws {
                guard person == nil || next.fields.first?.value == person else { throw NotAuthorized(.sessionReplaced) }
            }
        }
    }
}
#endif
