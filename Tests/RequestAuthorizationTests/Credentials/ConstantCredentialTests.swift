// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

struct ConstantCredentialTests {
    @Test func `each constant provider sets its field`() async throws {
        var request = FakeRequest.make()
        try await request.authorize(using: .bearer("ABC"))
        #expect(request.fields == ["authorization": "Bearer ABC"])
        try await request.authorize(using: .basic(username: "Aladdin", password: "open sesame"))
        #expect(request.fields == ["authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])  // RFC 7617 §2
        try await request.authorize(using: .header("X-API-Key", "k e\ty"))
        #expect(request.fields["x-api-key"] == "k e\ty")
        #expect(request.fields.count == 2)
    }

    @Test func `a factory makes a provider of any kind`() async throws {
        let providers: [any AuthorizationProvider] = [
            .bearer("A"), .basic(username: "u", password: "p"), .header("X", "y"), ClosureAuthorization { "Z" },
            ClosureAuthorization { _ in [:] },
            OriginAuthorization([:]),
        ]
        for provider in providers.dropLast() { _ = try await provider.authorize(FakeRequest.make()) }
    }

    @Test(arguments: ["ABC", "mF_9.B5f-4.1JqM", "a~+/b", "abc=", "abc==", String(repeating: "x", count: 8_000)])
    func `a bearer token of RFC 6750 §2·1 is sent`(token: String) async throws {
        let request = try await FakeRequest.make().authorized(using: .bearer(token))
        #expect(request.fields == ["authorization": "Bearer \(token)"])
    }

    @Test(arguments: [
        ("", "empty"), ("=", "at byte 0"), ("==abc", "at byte 0"), ("a=b", "at byte 2"), ("x y", "a blank at byte 1"),
        ("abc\r\nX: y", "a carriage return at byte 3"), ("abc\n", "a line feed at byte 3"),
        (" abc", "a blank at byte 0"),
        ("abc ", "a blank at byte 3"), ("abc=\u{0}", "a NUL at byte 4"), ("\u{E9}", "not ASCII at byte 0"),
        ("Bearer ABC", "without \"Bearer\""), ("1|abc", "at byte 1"), ("\"abc\"", "at byte 0"), ("a,b", "at byte 1"),
    ])
    func `a bearer token of another form is never sent`(token: String, fault: String) async {
        await expectMalformed(.bearer(token), fault, secret: token.count > 2 ? token : nil)
    }

    @Test func `Basic is encoded as UTF-8 and may have an empty part`() async throws {
        let cases = [
            ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),  // RFC 7617 §2.1
            ("", "", "Basic Og=="), ("", "p:q", "Basic OnA6cQ=="), ("u", "", "Basic dTo="),
            ("a b", "c", "Basic YSBiOmM="),
        ]
        for (username, password, value) in cases {
            let request = try await FakeRequest.make().authorized(
                using: .basic(username: username, password: password))
            #expect(request.fields == ["authorization": value])
        }
    }

    @Test(arguments: [
        ("us:er", "p", "a colon at byte 2"), (":", "p", "a colon at byte 0"), ("us\ner", "p", "the user name"),
        ("user\u{0}", "p", "the user name"), ("\u{7F}", "p", "the user name"), ("user", "pa\r\nss", "the password"),
        ("user", "pass\n", "the password has a control character at byte 4"), ("user\t", "p", "the user name"),
    ])
    func `a pair that Basic cannot encode is never sent`(username: String, password: String, fault: String) async {
        await expectMalformed(.basic(username: username, password: password), fault, secret: nil)
    }

    @Test(arguments: [
        ("X-API-Key", "S3\r\nCRET"), ("X-API-Key", ""), ("X-API-Key", "S3CRET "), ("X API", "S3CRET"), ("", "S3CRET"),
        ("X\r\nY", "v"), ("X:", "v"),
    ])
    func `a header that cannot stand on the wire is never sent`(field: String, value: String) async {
        await expectMalformed(.header(field, value), "", secret: "CRET")
    }

    @Test func `a name given in place of the value is not printed`() async {
        await expectMalformed(.header("S3CRET value", "X-API-Key"), "at byte 6", secret: "S3CRET")
    }

    @Test func `plaintext is refused, except to this machine`() async throws {
        let providers: [any AuthorizationProvider] = [
            .bearer("S3CRET"), .basic(username: "u", password: "S3CRET"), .header("X", "S3CRET"),
            ClosureAuthorization { "S3CRET" }, ClosureAuthorization { _ in ["X": "S3CRET"] },
        ]
        for provider in providers {
            for origin in ["http://api.example.com", "ws://api.example.com", "http://localhost.evil.com"] as [Origin] {
                let error = await #expect(throws: NotAuthorized.self) {
                    try await provider.authorize(FakeRequest.make(to: origin))
                }
                #expect(error?.reason == .insecureTransport)
                #expect(error?.detail?.contains("\(origin) is not encrypted") == true)
            }
            let request = try await provider.authorize(FakeRequest.make(to: "http://127.0.0.1:8080"))
            #expect(request.fields.count == 1)
        }
    }

    @Test func `a constant credential is not retried`() async {
        let provider = BearerTokenAuthorization(token: "ABC")
        let error = await #expect(throws: NotAuthorized.self) {
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(UnauthorizedResponse(), for: FakeRequest.make())
        }
        #expect(error?.reason == .notRefreshable)
    }

    private func expectMalformed(
        _ provider: some AuthorizationProvider, _ fault: String, secret: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let original = FakeRequest.make()
        var request = original
        let error = await #expect(throws: NotAuthorized.self, sourceLocation: sourceLocation) {
            try await request.authorize(using: provider)
        }
        #expect(request == original, sourceLocation: sourceLocation)
        #expect(error?.reason == .malformedCredential, sourceLocation: sourceLocation)
        let detail = error?.detail ?? ""
        #expect(fault.isEmpty || detail.contains(fault), sourceLocation: sourceLocation)
        if let secret { #expect(!detail.contains(secret), sourceLocation: sourceLocation) }
    }
}
