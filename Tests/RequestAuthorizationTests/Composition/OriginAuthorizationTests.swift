// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

@MainActor struct OriginAuthorizationTests {
    @Test func `each origin gets its own credential`() async throws {
        let auth = OriginAuthorization([
            "https://api.spotify.com": .bearer("ABC"), "https://api.widgets.example": .header("X-API-Key", "key"),
        ])
        let spotify = try await auth.authorize(FakeRequest.make(to: "https://api.spotify.com"))
        #expect(spotify.fields == ["authorization": "Bearer ABC"])
        let widgets = try await auth.authorize(FakeRequest.make(to: "https://API.widgets.example:443"))
        #expect(widgets.fields == ["x-api-key": "key"])
    }

    @Test(arguments: ["https://evil.com", "https://api.example.com:444", nil] as [Origin?])
    func `an origin without a provider is refused, passed through or given to the fallback`(origin: Origin?)
        async throws
    {
        let providers: [Origin: any AuthorizationProvider] = ["https://api.example.com": .bearer("ABC")]
        let request = FakeRequest.make(to: origin)
        let error = await #expect(throws: NotAuthorized.self) {
            try await OriginAuthorization(providers).authorize(request)
        }
        #expect(error?.reason == .originNotAllowed)
        #expect(try await OriginAuthorization(providers, elsewhere: .passThrough).authorize(request) == request)
        let fallback = Spy()
        let composed = OriginAuthorization(providers, elsewhere: .use(fallback))
        _ = try await composed.credential(for: request)
        #expect(fallback.log == ["authorize \(origin?.description ?? "nowhere")"])
    }

    @Test func `plaintext is refused for each of them`() async {
        let auth = OriginAuthorization(["http://a.example": .bearer("ABC")])
        let error = await #expect(throws: NotAuthorized.self) {
            try await auth.authorize(FakeRequest.make(to: "http://a.example"))
        }
        #expect(error?.reason == .insecureTransport)
    }

    @Test func `a 401 is reported only to the provider of its origin`() async throws {
        let (a, b, fallback) = (Spy(), Spy(), Spy())
        let auth = OriginAuthorization(["https://a.example": a, "https://b.example": b], elsewhere: .use(fallback))
        let response = UnauthorizedResponse(fields: ["WWW-Authenticate": ["Bearer"]])
        let sent = try await auth.authorize(FakeRequest.make(to: "https://b.example"))
        try await auth.setNeedsRefreshAfterUnauthorizedResponse(response, for: sent)
        try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: sent)
        let elsewhere = try await auth.authorize(FakeRequest.make(to: "https://c.example"))
        try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: elsewhere)
        #expect(a.log.isEmpty)
        #expect(
            b.log.filter { $0.hasPrefix("refused") } == [
                "refused https://b.example: Bearer", "refused https://b.example: ",
            ]
        )
        #expect(fallback.log.last == "refused https://c.example: ")
    }

    @Test(arguments: [OtherOrigins.refuse, .passThrough])
    func `a 401 of an origin without provider refreshes nothing`(elsewhere: OtherOrigins) async {
        let spy = Spy()
        let auth = OriginAuthorization(["https://a.example": spy], elsewhere: elsewhere)
        let error = await #expect(throws: NotAuthorized.self) {
            try await auth.setNeedsRefreshAfterUnauthorizedResponse(UnauthorizedResponse(), for: FakeRequest.make())
        }
        #expect(error?.reason == .originNotAllowed)
        #expect(spy.log.isEmpty)
    }
}
