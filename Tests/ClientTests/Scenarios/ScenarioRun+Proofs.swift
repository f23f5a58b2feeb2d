// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders
import Testing

// Tokens that need a proof for each request. A proof is the text `number method URL nonce`.
extension ScenarioRun {
    private static let payload = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private static func wantsNonce(_ nonce: String = "n1", status: Int = 401) -> Answer {
        .status(
            status, ("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""), ("DPoP-Nonce", nonce), body: "no")
    }

    /// Asks for the nonce `n1`.
    private static let asksOnce: RawServer.Script = {
        $0["DPoP"]?.hasSuffix(" n1") == true ? .text("hello") : wantsNonce()
    }

    private func proving(
        _ service: ScriptedTokenService<TestToken> = ScriptedTokenService()
    ) -> RefreshableTokenAuthorization<TestToken> {
        RefreshableTokenAuthorization(service: ProvingTokenService(service), token: TestToken("a"))
    }

    func proofIsMade() async throws {
        let auth = proving()
        try await withServer { _ in
            .text("hello")
        } body: { server in
            _ = try await client.send(Call(server.url("/a?b=c")), authorizedBy: auth)
            _ = try await client.send(.post(server.url("/d"), .bytes([1])), authorizedBy: auth)
            let requests = await server.requests
            #expect(requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a"])
            #expect(
                requests.map { $0["DPoP"] } == ["1 GET \(server.url("/a?b=c")) -", "2 POST \(server.url("/d")) -"])
        }
    }

    func nonceIsRetried() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = proving(service)
        try await withServer(Self.asksOnce) { server in
            var call = Call(server.url("/"))
            call.refreshCount = 0
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.text == "hello")
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a"])
            #expect(await server.requests.map { $0["DPoP"]?.last } == ["-", "1"])
            #expect(service.calls == 0)
        }
    }

    func nonceLoopEnds() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = proving(service)
        try await withServer { request in
            Self.wantsNonce("n\(request["DPoP"]?.prefix(1) ?? "")")
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 401 && reply.text == "no")
            #expect(await server.requests.count == 4)
            #expect(service.calls == 0)
        }
    }

    func repeatedNonceEnds() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = proving(service)
        try await withServer { _ in
            Self.wantsNonce()
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 401 && reply.text == "no")
            #expect(await server.requests.map { $0["DPoP"]?.last } == ["-", "1"])
            #expect(service.calls == 0)
        }
    }

    func rotatedNonceIsRetried() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = proving(service)
        try await withServer { request in
            let number = Int(request["DPoP"]?.prefix { $0 != " " } ?? "") ?? 0
            return number.isMultiple(of: 3) ? .text("hello") : Self.wantsNonce("n\(number)")
        } body: { server in
            for call in [Call(server.url("/")), .post(server.url("/"), .bytes(Self.payload))] {
                var call = call
                call.refreshCount = 0
                let reply = try await client.send(call, authorizedBy: auth)
                #expect(reply.text == "hello")
            }
            let requests = await server.requests
            #expect(requests.map { $0["DPoP"]?.suffix(3) } == ["/ -", " n1", " n2", " n2", " n4", " n5"])
            #expect(requests.dropFirst(3).allSatisfy { $0.body == Self.payload })
            #expect(service.calls == 0)
        }
    }

    func nonceOfBadRequestIsRetried() async throws {
        let service = ScriptedTokenService<TestToken>()
        let auth = proving(service)
        try await withServer { request in
            if request.target == "/bad" { return .status(400, ("DPoP-Nonce", "n9"), body: "bad") }
            return request["DPoP"]?.hasSuffix(" n1") == true ? .text("hello") : Self.wantsNonce(status: 400)
        } body: { server in
            var call = Call(server.url("/"))
            call.refreshCount = 0
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.text == "hello")
            #expect(await server.requests.map { $0["DPoP"]?.last } == ["-", "1"])
            let bad = try await client.send(Call(server.url("/bad")), authorizedBy: auth)
            #expect(bad.status == 400 && bad.text == "bad")
            #expect(await server.requests.count == 3)
            // A token without proofs is not concerned: nothing is refreshed.
            let bearer = try await client.send(Call(server.url("/")), authorizedBy: holding(service))
            #expect(bearer.status == 400 && bearer.text == "no")
            #expect(await server.requests.count == 4)
            #expect(service.calls == 0)
        }
    }

    func provenRefusalIsRetried() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = proving(service)
        try await withServer { request in
            switch (request["Authorization"], request["DPoP"]?.hasSuffix(" n1")) {
            case ("Bearer a", true): Self.refusal
            case (_, true): .text("hello")
            default: Self.wantsNonce()
            }
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.text == "hello")
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a", "Bearer b"])
            #expect(Set(await server.requests.map { $0["DPoP"] }).count == 3)
            #expect(service.calls == 1)
        }
    }

    func provenBodyIsSentAgain() async throws {
        let service = ScriptedTokenService<TestToken>()
        try await withServer(Self.asksOnce) { server in
            let call = Call.post(server.url("/"), .bytes(Self.payload))
            let reply = try await client.send(call, authorizedBy: proving(service))
            #expect(reply.text == "hello")
            #expect(await server.requests.map { $0.body == Self.payload } == [true, true])
        }
        guard client.lacks[.oneShotBodies] == nil else { return }
        try await withServer(Self.asksOnce) { server in
            let auth = proving(service)
            let reply = try await client.send(.post(server.url("/"), .once(Self.payload)), authorizedBy: auth)
            #expect(reply.status == 401 && reply.text == "no")
            #expect(await server.requests.count == 1)
            let next = try await client.send(.post(server.url("/"), .once([1, 2])), authorizedBy: auth)
            #expect(next.status == 200)
        }
        #expect(service.calls == 0)
    }

    func nonceOfAnyAnswerIsUsed() async throws {
        let auth = proving()
        try await withServer { request in
            .status(200, ("DPoP-Nonce", "n\(request["DPoP"]?.prefix(1) ?? "")"))
        } body: { server in
            for _ in 0..<3 { _ = try await client.send(Call(server.url("/")), authorizedBy: auth) }
            #expect(
                await server.requests.map { $0["DPoP"]?.split(separator: " ").last.map(String.init) }
                    == ["-", "n1", "n2"])
        }
    }

    func sameOriginIsProvenAnew() async throws {
        let auth = proving()
        try await withServer { request in
            switch request.target {
            case "/a": .status(307, ("Location", "/b?c"), ("DPoP-Nonce", "n7"))
            case "/b?c": .redirect(303, to: "http://127.0.0.1:\(request.port)/d")
            default: .text("hello")
            }
        } body: { server in
            for provider: any AuthorizationProvider in [
                auth, auth.restricted(to: Origin(server.url("/")) ?? "http://a"),
            ] {
                let before = await server.requests.count
                let call = Call.post(server.url("/a"), .bytes(Array("body".utf8)))
                let reply = try await client.send(call, authorizedBy: provider)
                #expect(reply.text == "hello")
                let requests = await server.requests.dropFirst(before)
                #expect(requests.map(\.text) == ["body", "body", ""])
                #expect(requests.map { $0["Authorization"] } == ["Bearer a", "Bearer a", "Bearer a"])
                let proofs = requests.map { $0["DPoP"]?.split(separator: " ").dropFirst().joined(separator: " ") }
                #expect(
                    proofs == [
                        "POST \(server.url("/a")) \(before == 0 ? "-" : "n7")", "POST \(server.url("/b?c")) n7",
                        "GET \(server.url("/d")) n7",
                    ])
            }
        }
    }

    func otherOriginIsNotProven() async throws {
        let auth = proving()
        try await withServer { request in
            request.target == "/a"
                ? .redirect(302, to: "http://localhost:\(request.port)/b")
                : .status(401, ("DPoP-Nonce", "foreign"), ("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""))
        } body: { server in
            let reply = try await client.send(Call(server.url("/a")), authorizedBy: auth)
            #expect(reply.status == 401)
            #expect(await server.requests.map { $0["DPoP"] != nil } == [true, false])
            #expect(await server.requests.map { $0["Authorization"] != nil } == [true, false])
            _ = try await client.send(Call(server.url("/a")), authorizedBy: auth)
            #expect(await server.requests.allSatisfy { $0["DPoP"]?.contains("foreign") != true })
        }
    }

    func redirectGetsNonce() async throws {
        let auth = proving()
        try await withServer { request in
            if request.target == "/order" { return .redirect(303, to: "/order/1") }
            guard request["DPoP"]?.hasSuffix(" n1") == true else {
                return .status(401, ("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""), ("DPoP-Nonce", "n1"))
            }
            return .text("hello")
        } body: { server in
            let call = Call.post(server.url("/order"), .bytes(Array("order".utf8)))
            let reply = try await client.send(call, authorizedBy: auth)
            #expect(reply.status == 200)
            let requests = await server.requests
            #expect(requests.map { "\($0.method) \($0.target)" } == ["POST /order", "GET /order/1", "GET /order/1"])
            #expect(requests.last?["DPoP"]?.hasSuffix("GET \(server.url("/order/1")) n1") == true)
        }
    }
}
#endif
