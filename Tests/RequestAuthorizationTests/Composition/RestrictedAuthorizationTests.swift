// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

@MainActor struct RestrictedAuthorizationTests {
    @Test(
        arguments: ["https://api.example.com", "https://api.example.com:443", "https://other.example:8443"] as [Origin])
    func `a request for a listed origin gets the credential`(origin: Origin) async throws {
        let auth = BearerTokenAuthorization(token: "ABC")
            .restricted(to: "https://api.example.com", "https://other.example:8443")
        let request = try await FakeRequest.make(to: origin).authorized(using: auth)
        #expect(request.fields == ["authorization": "Bearer ABC"])
    }

    @Test(
        arguments: [
            "https://evil.com", "https://api.example.com:444", "http://api.example.com", "ws://api.example.com",
            "https://api.example.com.evil.com", "https://example.com", "https://api.example.com.", nil,
        ] as [Origin?])
    func `a request for another origin is refused`(origin: Origin?) async {
        let spy = Spy()
        let auth = spy.restricted(to: "https://api.example.com")
        let error = await #expect(throws: NotAuthorized.self) { try await auth.authorize(FakeRequest.make(to: origin)) }
        #expect(error?.reason == .originNotAllowed)
        #expect(error?.detail?.contains(origin?.description ?? "no origin") == true)
        // Only another origin can be added to a restriction.
        #expect(error?.description.contains("add it where the provider is restricted") == (origin != nil))
        #expect(spy.log.isEmpty)
    }

    @Test func `a request for another origin passes untouched if that is configured`() async throws {
        let spy = Spy()
        let auth = spy.restricted(to: "https://api.example.com", elsewhere: .passThrough)
        for origin in ["https://evil.com", "http://plain.example", nil] as [Origin?] {
            var request = FakeRequest.make(to: origin)
            request.fields = ["authorization": "its own", "x": "y"]
            #expect(try await auth.authorize(request) == request)
        }
        #expect(spy.log.isEmpty)
    }

    /// Adds a field to what another provider sets, as the guide shows.
    private struct Tenant: AuthorizationProvider {
        let base: any AuthorizationProvider

        func credential(for request: some AuthorizableRequest) async throws -> Credential {
            try await base.credential(for: request).adding("tenant", in: "X-Tenant")
        }
    }

    @Test func `a field that is added around a restriction goes to no other origin`() async throws {
        let auth = Tenant(
            base: BearerTokenAuthorization(token: "a")
                .restricted(to: "https://api.example.com", elsewhere: .passThrough))
        let inside = try await auth.authorize(FakeRequest.make(to: "https://api.example.com"))
        #expect(inside.fields == ["authorization": "Bearer a", "x-tenant": "tenant"])
        for origin in ["https://other.example", "http://plain.example"] as [Origin] {
            let request = FakeRequest.make(to: origin)
            #expect(try await auth.authorize(request) == request)
        }
    }

    @Test func `credentials of two restricted providers are one for each origin`() async throws {
        let one = BearerTokenAuthorization(token: "a").restricted(to: "https://a.example", elsewhere: .passThrough)
        let other = BearerTokenAuthorization(token: "b").restricted(to: "https://b.example", elsewhere: .passThrough)
        for (origin, value) in [("https://a.example", "Bearer a"), ("https://b.example", "Bearer b")]
            as [(Origin, String)]
        {
            let request = FakeRequest.make(to: origin)
            let (first, second) = (try await one.credential(for: request), try await other.credential(for: request))
            #expect(first.adding(second).fields.map(\.value) == [value])
            #expect(second.adding(first).fields.map(\.value) == [value])
        }
    }

    @Test func `another provider authorizes the other requests if that is configured`() async throws {
        let auth = BearerTokenAuthorization(token: "ABC")
            .restricted(to: "https://api.example.com", elsewhere: .use(.header("X-Key", "k")))
        let request = try await auth.authorize(FakeRequest.make(to: "https://other.example"))
        #expect(request.fields == ["x-key": "k"])
        await #expect(throws: NotAuthorized.self) {
            try await auth.authorize(FakeRequest.make(to: "http://other.example"))
        }
    }

    @Test(arguments: [OtherOrigins.refuse, .passThrough])
    func `a 401 of another origin refreshes nothing`(elsewhere: OtherOrigins) async {
        let spy = Spy()
        let auth = spy.restricted(to: "https://api.example.com", elsewhere: elsewhere)
        let request = FakeRequest.make(to: "https://evil.com")
        let long = await #expect(throws: NotAuthorized.self) {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(UnauthorizedResponse(), for: request)
        }
        let short = await #expect(throws: NotAuthorized.self) {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: request)
        }
        #expect([long?.reason, short?.reason] == [.originNotAllowed, .originNotAllowed])
        #expect(spy.log.isEmpty)
    }

    @Test func `a 401 is reported to the provider that authorized the request`() async throws {
        let spy = Spy()
        let other = Spy()
        let auth = spy.restricted(
            to: "https://api.example.com", "http://a.internal", allowingPlaintext: true, elsewhere: .use(other))
        let response = UnauthorizedResponse(fields: ["WWW-Authenticate": ["Bearer"]])
        for origin in ["https://api.example.com", "http://a.internal", "https://other.example"] as [Origin] {
            let sent = try await auth.authorize(FakeRequest.make(to: origin))
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(response, for: sent)
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: sent)
        }
        #expect(
            spy.log.filter { $0.hasPrefix("refused") } == [
                "refused https://api.example.com: Bearer", "refused https://api.example.com: ",
                "refused http://a.internal: Bearer", "refused http://a.internal: ",
            ])
        #expect(
            other.log.filter { $0.hasPrefix("refused") } == [
                "refused https://other.example: Bearer", "refused https://other.example: ",
            ])
    }

    @Test func `plain http needs to be listed and allowed`() async throws {
        let request = FakeRequest.make(to: "http://ledger.internal:8080")
        let bearer = BearerTokenAuthorization(token: "ABC")
        let allowed = bearer.restricted(to: "http://ledger.internal:8080", allowingPlaintext: true)
        #expect(try await allowed.authorize(request).fields == ["authorization": "Bearer ABC"])

        let refusing: [any AuthorizationProvider] = [
            bearer, bearer.restricted(to: "http://ledger.internal:8080"),
            Spy().restricted(to: "http://ledger.internal:8080"),
        ]
        for provider in refusing {
            let error = await #expect(throws: NotAuthorized.self) { try await provider.authorize(request) }
            #expect(error?.reason == .insecureTransport)
        }
        let unlisted = bearer.restricted(to: "http://other.internal", allowingPlaintext: true)
        let error = await #expect(throws: NotAuthorized.self) { try await unlisted.authorize(request) }
        #expect(error?.reason == .originNotAllowed)
    }

    @Test func `permission for plaintext reaches every kind of provider, also through a second restriction`()
        async throws
    {
        let request = FakeRequest.make(to: "http://ledger.internal")
        let providers: [any AuthorizationProvider] = [
            .bearer("ABC"), .basic(username: "u", password: "p"), .header("X", "y"), ClosureAuthorization { "Z" },
            BearerTokenAuthorization(token: "ABC").restricted(to: "http://ledger.internal"),
            OriginAuthorization(["http://ledger.internal": .bearer("ABC")]),
        ]
        for provider in providers {
            let auth = provider.restricted(to: "http://ledger.internal", allowingPlaintext: true)
            #expect(try await auth.authorize(request).fields.count == 1)
        }
    }

    @Test func `a request that was allowed as plaintext is otherwise unchanged`() async throws {
        let seen = ClosureAuthorization { request in
            [
                "origin": "\(request.origin.map(\.description) ?? "")", "method": request.requestMethod ?? "",
                "target": request.targetURI ?? "", "replayable": "\(request.isReplayable)",
                "x": request.credential(in: "X") ?? "", "body": "\(request.bodyBytes ?? [])",
            ]
        }
        var request = FakeRequest.make(to: "http://ledger.internal", isReplayable: false)
        request.bodyBytes = [1, 2, 3]
        request.setCredential("y", in: "X")
        let result = try await seen.restricted(to: "http://ledger.internal", allowingPlaintext: true).authorize(request)
        #expect(
            result.fields == [
                "origin": "http://ledger.internal", "method": "GET", "target": "https://api.example.com/me",
                "replayable": "false", "x": "y", "body": "[1, 2, 3]",
            ])
    }

    @Test func `origins may be set at run time`() async throws {
        let origins: Set<Origin> = [Origin(host: "a.example"), Origin(host: "b.example")]
        let any: any AuthorizationProvider = .bearer("ABC")
        let auth: RestrictedAuthorization = any.restricted(to: origins)
        #expect(try await auth.authorize(FakeRequest.make(to: "https://b.example")).fields.count == 1)
        await #expect(throws: NotAuthorized.self) { try await auth.authorize(FakeRequest.make()) }
    }

    @Test func `the caller of send gets the 401 of an origin that was passed through`() async throws {
        let spy = Spy()
        let auth = spy.restricted(to: "https://api.example.com", elsewhere: .passThrough)
        let response = try await auth.send(FakeRequest.make(to: "https://evil.com")) { _ in
            FakeResponse.unauthorized("Bearer")
        }
        #expect(response.statusCode == 401)
        #expect(spy.log.isEmpty)
    }
}
