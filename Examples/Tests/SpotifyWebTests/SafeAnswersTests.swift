// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import SpotifyWeb

@Suite struct SafeAnswersTests {
    private struct Trouble: Error {}

    /// A page, an error of each kind and a form, behind the two filters. Hummingbird's tests use the host `localhost`.
    private func application(_ address: String = "https://localhost") throws -> some ApplicationProtocol {
        let address = try SiteAddress(published: address)
        let router = Router(context: SiteContext.self)
        router.add(middleware: SafeAnswers(isSecure: address.isSecure))
        router.add(middleware: HostCheck(address: address))
        router.get("/") { _, context in Response.page(.welcome()).noting(context.origin) }
        router.get("/callback") { _, _ in Response.page(.foreignCallback) }
        router.get("/trouble") { _, _ -> Response in throw Trouble() }
        router.get("/refused") { _, _ -> Response in throw HTTPError(.badRequest, message: "secret") }
        router.post("/form") { _, _ in Response.seeOther("/") }
        return Application(router: router)
    }

    private func answer(
        _ method: HTTPRequest.Method, _ path: String, fields: [String: String] = [:],
        at address: String = "https://localhost"
    ) async throws -> TestResponse {
        var headers = HTTPFields()
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        return try await application(address).test(.router) { [headers] client in
            try await client.execute(uri: path, method: method, headers: headers)
        }
    }

    @Test(arguments: [("/", 200), ("/callback", 400), ("/nowhere", 404), ("/trouble", 500), ("/refused", 400)])
    func `no answer can be stored, framed, sniffed or scripted`(path: String, status: Int) async throws {
        let answer = try await answer(.get, path)
        #expect(answer.status.code == status)
        let expected = [
            "Content-Security-Policy":
                "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
            "Strict-Transport-Security": "max-age=31536000", "Content-Type": "text/html; charset=utf-8",
            "Referrer-Policy": path == "/callback" ? "no-referrer" : "same-origin",
        ]
        for (name, value) in expected {
            #expect(answer.headers[try #require(HTTPField.Name(name))] == value, "\(name)")
        }
    }

    @Test(arguments: ["/trouble", "/refused", "/nowhere?code=secret"])
    func `an error page does not reveal the error`(path: String) async throws {
        let body = String(buffer: try await answer(.get, path).body)
        #expect(body.contains("The request ended with status"))
        #expect(!body.contains("secret") && !body.contains("Trouble"))
    }

    @Test func `a request for another host is refused before it is served`() async throws {
        let refused = try await answer(.get, "/", at: "https://music.example.com")
        #expect(refused.status.code == 421)
        #expect(refused.headers[.contentSecurityPolicy] != nil)
        let served = try await answer(.get, "/")
        #expect(served.headers[.server] == "https://localhost")
    }

    @Test(arguments: [
        (["Origin": "https://localhost", "Sec-Fetch-Site": "same-origin"], 303), ([:], 303),
        (["Origin": "https://evil.example"], 403), (["Origin": "null"], 403), (["Sec-Fetch-Site": "cross-site"], 403),
        (["Origin": "https://localhost", "Sec-Fetch-Site": "same-site"], 403),
    ])
    func `a form from another site is refused`(fields: [String: String], status: Int) async throws {
        #expect(try await answer(.post, "/form", fields: fields).status.code == status)
    }

    @Test func `a link from another site is followed`() async throws {
        #expect(try await answer(.get, "/", fields: ["Sec-Fetch-Site": "cross-site"]).status == .ok)
    }
}

extension Response {
    fileprivate func noting(_ origin: String) -> Response {
        var response = self
        response.headers[.server] = origin
        return response
    }
}
#endif
