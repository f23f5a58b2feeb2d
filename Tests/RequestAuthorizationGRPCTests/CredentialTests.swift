// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import RequestAuthorizationGRPC
import TestProviders
import Testing

@Suite(.timeLimit(.minutes(5))) struct CredentialTests {
    @Test(.shows(.credentialIsSet), arguments: Way.allCases)
    func `the credential is set once and replaces an existing one; other fields stay`(
        way: Way
    ) async throws {
        let echo = EchoService()
        try await withEcho(echo, .bearer("a")) { client in
            let answer = try await way.call(
                client, metadata: ["Authorization": "old", "authorization": "old", "x": "1"])
            #expect(answer == way.answer)
        }
        let call = try #require(echo.calls.first)
        #expect(call.credential == "Bearer a")
        #expect(Array(call.metadata[stringValues: "x"]) == ["1"])
        #expect(call.messages == way.messages)
        #expect(echo.calls.count == 1)
    }

    @Test(.shows(.customFieldIsSet)) func `a credential in a field of another name is set, in lower case`() async throws
    {
        let echo = EchoService()
        try await withEcho(echo, .header("X-API-Key", "k")) { client in
            _ = try await Way.unary.call(client, metadata: ["x-api-KEY": "old"])
        }
        let fields = echo.calls.map { $0.metadata.filter { $0.key.lowercased() == "x-api-key" } }
        #expect(fields.map { $0.map(\.key) } == [["x-api-key"]])
        #expect(fields.map { $0.map { $0.value.encoded() } } == [["k"]])
    }

    @Test(.shows(.plaintextIsRefused)) func `plain http to another host is refused, unless it is allowed`() async throws
    {
        let echo = EchoService()
        let origin: Origin = "http://ledger.internal:8080"
        try await withEcho(echo, .bearer("a"), origin: origin) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.code == .unauthenticated)
            #expect((error?.cause as? NotAuthorized)?.reason == .insecureTransport)
            #expect("\(error as Any)".contains("use https, or allow it by name"))
        }
        #expect(echo.calls.isEmpty)
        let allowed = BearerTokenAuthorization(token: "a").restricted(to: origin, allowingPlaintext: true)
        try await withEcho(echo, allowed, origin: origin) { client in
            let answer = try await Way.unary.call(client)
            #expect(answer == Way.unary.answer)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a"])
    }

    @Test(.shows(.boundCredentialStays)) func `a credential that is bound to another origin is not sent`() async throws
    {
        let echo = EchoService()
        let bound = BearerTokenAuthorization(token: "a").restricted(to: "https://api.example.com")
        try await withEcho(echo, bound) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect((error?.cause as? NotAuthorized)?.reason == .originNotAllowed)
        }
        #expect(echo.calls.isEmpty)
    }

    @Test(
        .shows(.injectionIsImpossible),
        arguments: [
            ("Authorization", "a\r\nx-admin: 1"), ("Authorization", "a\nb"), ("Authorization", "a\0"),
            ("Authorization", ""),
            ("Authorization", " a"), ("x-\r\nadmin", "1"), ("", "a"), (":path", "/other"), ("x-key-bin", "AAAA"),
            ("X-Key-BIN", "AAAA"), ("grpc-timeout", "1n"),
        ]) func `a credential that metadata cannot hold never reaches the wire`(field: String, value: String)
        async throws
    {
        let echo = EchoService()
        let loose = LooseProvider([field: value])
        for provider: any AuthorizationProvider in [HeaderAuthorization(field: field, value: value), loose] {
            try await withEcho(echo, interceptors: [interceptor(provider)]) { client in
                let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
                #expect(error?.code == .unauthenticated)
                #expect((error?.cause as? NotAuthorized)?.reason == .malformedCredential)
            }
        }
        #expect(echo.calls.isEmpty)
    }

    @Test func `a malformed credential does not leave the caller's own in its place`() async throws {
        let echo = EchoService()
        try await withEcho(echo, LooseProvider(["Authorization": "a\n"])) { client in
            _ = await #expect(throws: RPCError.self) {
                try await Way.unary.call(client, metadata: ["authorization": "Bearer mine"])
            }
        }
        #expect(echo.calls.isEmpty)
    }

    @Test func `another error of a provider is passed on`() async throws {
        let echo = EchoService()
        try await withEcho(echo, ClosureAuthorization { throw Offline() }) { client in
            let error = await #expect(throws: RPCError.self) { try await Way.unary.call(client) }
            #expect(error?.cause is Offline)
        }
        #expect(echo.calls.isEmpty)
    }

    private func interceptor(_ provider: some AuthorizationProvider) -> AuthorizationInterceptor {
        AuthorizationInterceptor(provider, origin: "http://127.0.0.1")
    }
}
#endif
