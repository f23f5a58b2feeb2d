// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import TestProviders
import Testing

extension ScenarioRun {
    func credentialIsSet() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            var call = Call(server.url("/me?x=1"))
            call.fields = ["authorization": "Bearer old", "X-Other": "other"]
            let reply = try await client.send(call, authorizedBy: .bearer("abc"))
            #expect(reply.status == 200)
            #expect(reply.text == "hello")
            let request = try #require(await server.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/me?x=1")
            #expect(request.values(of: "Authorization") == ["Bearer abc"])
            #expect(request.values(of: "X-Other") == ["other"])
        }
    }

    func customFieldIsSet() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            _ = try await client.send(Call(server.url("/")), authorizedBy: .header("X-API-Key", "k e\ty"))
            let request = try #require(await server.requests.first)
            #expect(request.values(of: "X-API-Key") == ["k e\ty"])
            #expect(request["Authorization"] == nil)
        }
    }

    func expiredTokenIsRefreshedFirst() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = holding(service, token: TestToken("a", expiresAt: .distantPast))
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let reply = try await client.send(Call(server.url("/")), authorizedBy: auth)
            #expect(reply.status == 200)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer b"])
            #expect(service.calls == 1)
        }
    }

    func signedOutSendsNothing() async throws {
        let auth = holding(ScriptedTokenService<TestToken>())
        await auth.reset()
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let error = await #expect(throws: NotAuthorized.self) {
                try await client.send(Call(server.url("/")), authorizedBy: auth)
            }
            #expect(error?.reason == .signedOut)
            #expect(await server.connections == 0)
        }
    }

    func boundCredentialStays() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let elsewhere = Origin(scheme: "http", host: "localhost", port: server.port)
            let refusing = HeaderAuthorization(field: "X-API-Key", value: "key").restricted(to: elsewhere)
            let error = await #expect(throws: NotAuthorized.self) {
                try await client.send(Call(server.url("/")), authorizedBy: refusing)
            }
            #expect(error?.reason == .originNotAllowed)
            #expect(await server.connections == 0)

            let passing = BearerTokenAuthorization(token: "abc").restricted(to: elsewhere, elsewhere: .passThrough)
            _ = try await client.send(Call(server.url("/")), authorizedBy: passing)
            _ = try await client.send(Call(server.url("/", host: "localhost")), authorizedBy: passing)
            #expect(await server.requests.map { $0["Authorization"] } == [nil, "Bearer abc"])
        }
    }

    /// 0.0.0.0 leads to this machine, but does not count as a loopback address.
    func plaintextIsRefused() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let call = Call(server.url("/", host: "0.0.0.0"))
            for provider: any AuthorizationProvider in [
                BearerTokenAuthorization(token: "abc"), holding(ScriptedTokenService<TestToken>()),
            ] {
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.send(call, authorizedBy: provider)
                }
                #expect(error?.reason == .insecureTransport)
            }
            #expect(await server.connections == 0)

            let allowed = BearerTokenAuthorization(token: "abc").restricted(
                to: Origin(scheme: "http", host: "0.0.0.0", port: server.port), allowingPlaintext: true)
            _ = try await client.send(call, authorizedBy: allowed)
            #expect(await server.requests.map { $0["Authorization"] } == ["Bearer abc"])
        }
    }

    func injectionIsImpossible() async throws {
        try await withServer { _ in
            .text("hello")
        } body: { server in
            let attack = "x\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1\r\n"
            let checked: [any AuthorizationProvider] = [
                BearerTokenAuthorization(token: attack), HeaderAuthorization(field: "X-API-Key", value: attack),
                HeaderAuthorization(field: attack, value: "key"),
                holding(ScriptedTokenService(.token(attack)), token: TestToken(attack)),
            ]
            for provider in checked {
                let error = await #expect(throws: NotAuthorized.self) {
                    try await client.send(Call(server.url("/")), authorizedBy: provider)
                }
                #expect(error?.reason == .malformedCredential)
            }
            #expect(await server.connections == 0)

            for value in [attack, "x\nX-Evil: 1", "x\rX-Evil: 1", "x\u{0}"] {
                for provider in [
                    LooseProvider(["Authorization": value]),
                    LooseProvider([value: "x"]),
                ] {
                    let error = await #expect(throws: NotAuthorized.self) {
                        try await client.send(Call(server.url("/")), authorizedBy: provider)
                    }
                    #expect(error?.reason == .malformedCredential)
                }
            }
            #expect(await server.connections == 0)
        }
    }

    func userInformationIsNoCredential() async throws {
        try await withServer { request in
            request["Authorization"] == "Bearer 0" ? .unauthorized("Basic realm=\"x\"") : .text("hello")
        } body: { server in
            let url = server.url("/", host: "user:secret@127.0.0.1")
            let reply = try await client.send(Call(url), authorizedBy: CountingProvider())
            #expect(reply.status == 200)
            #expect(await server.requests.map { $0.values(of: "Authorization") } == [["Bearer 0"], ["Bearer 1"]])
            #expect(await server.requests.allSatisfy { !$0.head.contains("secret") })
        }
    }
}
#endif
