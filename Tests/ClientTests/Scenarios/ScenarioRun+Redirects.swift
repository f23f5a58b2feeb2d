// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import Testing

extension ScenarioRun {
    func sameOriginKeeps() async throws {
        try await withServer { request in
            switch request.target {
            case "/a": .redirect(302, to: "/b")
            case "/b": .redirect(307, to: "http://127.0.0.1:\(request.port)/c")
            default: .text("hello")
            }
        } body: { server in
            for provider: any AuthorizationProvider in [
                BearerTokenAuthorization(token: "abc"),
                HeaderAuthorization(field: "Authorization", value: "Bearer abc"),
            ] {
                let before = await server.requests.count
                let reply = try await client.send(Call(server.url("/a")), authorizedBy: provider)
                #expect(reply.status == 200)
                let requests = await server.requests.dropFirst(before)
                #expect(requests.map(\.target) == ["/a", "/b", "/c"])
                #expect(requests.map { $0["Authorization"] } == ["Bearer abc", "Bearer abc", "Bearer abc"])
            }
        }
    }

    func otherHostDrops() async throws {
        try await drops(.bearer("abc"), field: "Authorization")
    }

    func otherPortDrops() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { other in
            try await withServer { _ in
                .redirect(302, to: other.url("/b").absoluteString)
            } body: { server in
                let reply = try await client.send(Call(server.url("/a")), authorizedBy: .bearer("abc"))
                #expect(reply.status == 200)
                #expect(await server.requests.map { $0["Authorization"] } == ["Bearer abc"])
            }
            let request = try #require(await other.requests.first)
            #expect(request.target == "/b")
            #expect(!request.head.contains("abc"))
        }
    }

    func customFieldDrops() async throws {
        try await drops(.header("X-API-Key", "key"), field: "X-API-Key")
    }

    private func drops(_ provider: some AuthorizationProvider, field: String) async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(302, to: "http://localhost:\(request.port)/b") : .text("hello")
        } body: { server in
            var call = Call(server.url("/a"))
            call.fields = ["Cookie": "session=1", "X-Other": "other"]
            let reply = try await client.send(call, authorizedBy: provider)
            #expect(reply.status == 200)
            let requests = await server.requests
            #expect(requests.map(\.target) == ["/a", "/b"])
            #expect(requests.last?["Host"] == "localhost:\(server.port)")
            #expect(requests.map { $0[field] != nil } == [true, false])
            #expect(requests.map { $0["Cookie"] } == ["session=1", nil])
            #expect(requests.map { $0["X-Other"] } == ["other", "other"])
        }
    }

    func droppedStaysDropped() async throws {
        try await withServer { request in
            switch request.target {
            case "/a": .redirect(302, to: "http://localhost:\(request.port)/b")
            case "/b": .redirect(302, to: "http://127.0.0.1:\(request.port)/c")
            default: .text("hello")
            }
        } body: { server in
            let reply = try await client.send(Call(server.url("/a")), authorizedBy: .bearer("abc"))
            #expect(reply.status == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer abc", nil, nil])
        }
    }

    func refusalElsewhereIsNoNews() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = holding(service)
        try await withServer { request in
            request.target == "/a" ? .redirect(302, to: "http://localhost:\(request.port)/b") : Self.refusal
        } body: { server in
            let reply = try await client.send(Call(server.url("/a")), authorizedBy: auth)
            #expect(reply.status == 401)
            #expect(reply.text == "no")
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", nil])
            #expect(service.calls == 0)
        }
    }

    func locationIsNoCredential() async throws {
        try await withServer { request in
            request.target == "/a"
                ? .redirect(302, to: "http://user:secret@localhost:\(request.port)/b") : .text("hello")
        } body: { server in
            let reply = try await client.send(Call(server.url("/a")), authorizedBy: .bearer("abc"))
            #expect(reply.status == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer abc", nil])
            #expect(await server.requests.last?.head.contains("secret") == false)
        }
    }

    func redirectKeepsBody() async throws {
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : .text("hello")
        } body: { server in
            let call = Call.post(server.url("/a"), .bytes(Array("body".utf8)))
            let reply = try await client.send(call, authorizedBy: .bearer("abc"))
            #expect(reply.status == 200)
            #expect(await server.requests.map(\.method) == ["POST", "POST"])
            #expect(await server.requests.map(\.text) == ["body", "body"])
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer abc", "Bearer abc"])
        }
    }

    /// RFC 9110 §9.2.2: the order was placed, and is not placed again.
    func answeredRequestIsNotRepeated() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        try await withServer { request in
            request.target == "/order" ? .redirect(303, to: "/order/1") : try await Self.refusesA(request)
        } body: { server in
            let call = Call.post(server.url("/order"), .bytes(Array("order".utf8)))
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.status == 200 && reply.text == "hello")
            let requests = await server.requests
            #expect(requests.map { "\($0.method) \($0.target)" } == ["POST /order", "GET /order/1", "GET /order/1"])
            #expect(requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a", "Bearer b"])
            #expect(requests.map(\.text) == ["order", "", ""])
        }
        #expect(service.calls == 1)
    }

    func refusedRedirectKeepsBody() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        try await withServer { request in
            request.target == "/a" ? .redirect(307, to: "/b") : try await Self.refusesA(request)
        } body: { server in
            let call = Call.post(server.url("/a"), .bytes(Array("body".utf8)))
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.status == 200)
            let requests = await server.requests
            #expect(requests.map { "\($0.method) \($0.target)" } == ["POST /a", "POST /b", "POST /b"])
            #expect(requests.map(\.text) == ["body", "body", "body"])
            #expect(requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a", "Bearer b"])
        }
    }
}
#endif
