// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

extension ScenarioRun {
    func refusalIsRetriedOnce() async throws { try await retries(after: Self.refusal) }

    func refusalWithoutChallengeIsRetried() async throws { try await retries(after: .status(401)) }

    func basicChallengeIsRetried() async throws {
        try await retries(after: .unauthorized("Bearer realm=\"x\", Basic realm=\"x\"", body: "no"))
        try await retries(
            after: .status(401, ("WWW-Authenticate", "Basic realm=\"x\""), ("WWW-Authenticate", "Bearer")))
    }

    private func retries(after refusal: Answer) async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        try await withServer { request in
            request["Authorization"] == "Bearer a" ? refusal : .text("hello")
        } body: { server in
            var call = Call(server.url("/me?x=1"))
            call.fields["X-Other"] = "other"
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.status == 200)
            #expect(reply.text == "hello")
            let requests = await server.requests
            #expect(requests.map { $0.values(of: "Authorization") } == [["Bearer a"], ["Bearer b"]])
            #expect(requests.map(\.target) == ["/me?x=1", "/me?x=1"])
            #expect(requests.map { $0.values(of: "X-Other") } == [["other"], ["other"]])
            #expect(service.history.map(\.input) == [TestToken("a")])
        }
    }

    func secondRefusalIsReturned() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        try await withServer { request in
            .unauthorized("Bearer realm=\"\(request["Authorization"] ?? "")\"", body: "no")
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 401)
            #expect(reply.text == "no")
            #expect(reply.challenges == ["Bearer realm=\"Bearer b\""])
            #expect(await server.requests.count == 2)
            #expect(service.calls == 1)
        }
    }

    func refreshCountIsKept() async throws {
        try await withServer { _ in
            Self.refusal
        } body: { server in
            var call = Call(server.url("/"))
            for (refreshCount, requests) in [(0, 1), (2, 1 + 3)] {
                call.refreshCount = refreshCount
                let provider = CountingProvider()
                let reply = try await client.send(call, authorizedBy: provider)
                #expect(reply.status == 401)
                #expect(reply.text == "no")
                // The one that is returned is judged, too.
                #expect(provider.refusals == refreshCount + 1)
                #expect(await server.requests.count == requests)
            }
        }
    }

    func constantRefusalIsReturned() async throws {
        try await withServer { _ in
            Self.refusal
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: .bearer("abc"))
            #expect(reply.status == 401)
            #expect(reply.text == "no")
            #expect(reply.challenges == ["Bearer error=\"invalid_token\""])
            #expect(await server.requests.count == 1)
        }
    }

    /// RFC 9470 §3.
    func interactionIsNoRefresh() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = holding(service)
        try await withServer { _ in
            .unauthorized("Bearer error=\"insufficient_user_authentication\", max_age=\"5\"", body: "no")
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 401)
            #expect(reply.text == "no")
            #expect(await server.requests.count == 1)
            #expect(service.calls == 0)
        }
        try await wantOfScopeIsToldToTheProvider()
    }

    /// RFC 6750 §3.1: with a 403, which reaches the provider and the caller as a 401 does.
    private func wantOfScopeIsToldToTheProvider() async throws {
        let told = Lock<[UnauthorizedResponse]>([])
        let auth = ClosureAuthorization { refusal in
            told.withLock { $0.append(refusal) }
            throw NotAuthorized(.needsInteraction)
        } value: {
            "Bearer a"
        }
        let challenge = ("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"b\"")
        try await withServer { _ in
            .status(403, challenge, body: "no")
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 403)
            #expect(reply.text == "no")
            #expect(await server.requests.count == 1)
        }
        let refusals = told.withLock { $0 }
        #expect(refusals.map(\.statusCode) == [403])
        #expect(refusals.first?.challenges.first?.scope == ["b"])
    }

    /// The token is replaced while its request is under way.
    func staleRefusalRefreshesNothing() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        let replaced = Tally()
        try await withServer { request in
            if request["Authorization"] == "Bearer a" { await replaced.reaches(1) }
            return try await Self.refusesA(request)
        } body: { server in
            async let reply = client.send(Call(server.url("/")), authorizedBy: auth)
            await server.waitForRequests(1)
            try await auth.refreshNow()
            replaced.add()
            #expect(try await reply.status == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b"])
            #expect(service.calls == 1)
        }
    }

    /// No request is answered before all have arrived.
    func fiftyRefusalsRefreshOnce() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service)
        let arrived = Tally()
        try await withServer { request in
            guard request["Authorization"] == "Bearer a" else { return .text("hello") }
            arrived.add()
            await arrived.reaches(50)
            return Self.refusal
        } body: { server in
            let statuses = try await sendAtOnce(50, to: server, authorizedBy: auth)
            #expect(statuses == Array(repeating: 200, count: 50))
            let sent = await server.requests.map { $0["Authorization"] }
            #expect(sent.filter { $0 == "Bearer a" }.count == 50)
            #expect(sent.filter { $0 == "Bearer b" }.count == 50)
            #expect(service.calls == 1)
        }
    }

    func requestsAreHeldDuringRefresh() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let held = Tally()
        let auth = holding(service, held: held)
        try await withServer(Self.refusesA) { server in
            async let first = client.send(Call(server.url("/")), authorizedBy: auth)
            let refresh = try await service.nextCall()
            async let others = sendAtOnce(20, to: server, authorizedBy: auth)
            await held.reaches(21)
            #expect(await server.requests.count == 1)
            refresh.succeed(TestToken("b"))
            #expect(try await first.status == 200)
            #expect(try await others == Array(repeating: 200, count: 20))
            let sent = await server.requests.map { $0["Authorization"] }
            #expect(sent == ["Bearer a"] + Array(repeating: "Bearer b", count: 21))
            #expect(service.calls == 1)
        }
    }

    private func sendAtOnce(
        _ count: Int, to server: RawServer, authorizedBy auth: some AuthorizationProvider
    ) async throws -> [Int] {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask { try await client.send(Call(server.url("/")), authorizedBy: auth).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    func failedRefreshIsThrown() async throws {
        let service = ScriptedTokenService<TestToken>(.held)
        let held = Tally()
        let auth = holding(service, held: held)
        try await withServer(Self.refusesA) { server in
            let call = Call(server.url("/"))
            let first = Task { try await client.send(call, authorizedBy: auth) }
            let refresh = try await service.nextCall()
            let second = Task { try await client.send(call, authorizedBy: auth) }
            await held.reaches(2)
            refresh.fail(Offline())
            for task in [first, second] {
                let error = await #expect(throws: RefreshFailed.self) { try await task.value }
                #expect(error?.underlying is Offline)
            }
            #expect(await server.requests.count == 1)
            #expect(service.calls == 1)
        }
    }

    func rejectedRefreshEndsSession() async throws {
        let service = ScriptedTokenService<TestToken>(
            .failure(TokenEndpointError(status: 400, code: "invalid_grant")))
        let auth = holding(service)
        try await withServer(Self.refusesA) { server in
            for _ in 0..<2 {
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.send(Call(server.url("/")), authorizedBy: auth)
                }
                #expect(error?.needsSignIn == true)
            }
            #expect(await server.requests.count == 1)
            #expect(service.calls == 1)
        }
    }

    func otherStatusIsUntouched() async throws {
        for status in [204, 400, 403, 404, 407, 429, 500, 503] {
            let service = ScriptedTokenService<TestToken>()
            let auth = holding(service)
            let body = status == 204 ? "" : "body"
            try await withServer { _ in
                .status(status, ("WWW-Authenticate", "Bearer"), ("Retry-After", "0"), body: body)
            } body: { server in
                let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
                #expect(reply.status == status)
                #expect(reply.text == body)
                #expect(await server.requests.count == 1)
                #expect(service.calls == 0)
            }
        }
    }

    func lastRefusalCounts() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"), .token("c"))
        let auth = holding(service)
        try await withServer { _ in
            Self.refusal
        } body: { server in
            var call = Call(server.url("/"))
            call.refreshCount = 0
            let once = try await client.send(call, authorizedBy: auth)
            let next = try await auth.validToken()
            #expect(once.status == 401 && next.name == "b")
            call.refreshCount = 1
            let twice = try await client.send(call, authorizedBy: auth)
            let last = try await auth.validToken()
            // It was refused twice, and refreshed once.
            #expect(twice.status == 401 && last.name == "c")
            #expect(service.calls == 2)
        }
    }
}
#endif
