// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

struct RedactionTests {
    /// Somebody else's provider, which prints what it holds.
    private struct Loose: AuthorizationProvider {
        let key = "S3CRET"
        func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request { request }
    }

    private static let values: [any Sendable] = [
        BearerTokenAuthorization(token: "S3CRET"), BearerTokenAuthorization(token: "S3CRET\r\n"),
        BasicAuthorization(username: "S3CRET", password: "S3CRET"),
        BasicAuthorization(username: "S3CRET:", password: ""),
        HeaderAuthorization(field: "X", value: "S3CRET"), HeaderAuthorization(field: "S3CRET ", value: "S3CRET\u{0}"),
        ClosureAuthorization { "S3CRET" }, Loose().restricted(to: "https://s3cret.example"),
        Loose().restricted(to: "https://a.example", elsewhere: .use(Loose())), OtherOrigins.use(Loose()),
        OriginAuthorization(["https://a.example": Loose()], elsewhere: .use(Loose())),
    ]

    @Test func `no provider prints a secret`() {
        for value in Self.values {
            var dumped = ""
            dump([value], to: &dumped)
            let printed = [
                dumped, "\(value)", "\([value])", "\(Optional(value) as Any)", String(reflecting: value),
                String(reflecting: [value]), "\(Mirror(reflecting: value).children.map { $0 })",
            ]
            for text in printed { #expect(!text.uppercased().contains("S3CRET"), "\(type(of: value))") }
        }
    }

    @Test func `a provider says what it is`() {
        #expect("\(BearerTokenAuthorization(token: "ABC"))" == "BearerTokenAuthorization([redacted])")
        #expect(String(reflecting: OtherOrigins.use(Loose())) == "use([redacted])")
        #expect("\(OtherOrigins.refuse) \(OtherOrigins.passThrough)" == "refuse passThrough")
    }
}
