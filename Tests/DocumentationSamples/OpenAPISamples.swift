// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
import Foundation
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

// sample: middleware
struct AuthorizationMiddleware: ClientMiddleware {
    let provider: any AuthorizationProvider

    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let base = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
        var located = request
        located.scheme = base?.scheme
        located.authority = base?.encodedHost.map { host in base?.port.map { "\(host):\($0)" } ?? host }
        located.path = (base?.percentEncodedPath ?? "") + (request.path ?? "")
        return try await provider.send(
            located, isReplayable: body?.iterationBehavior != .single, unauthorized: { $0.0.unauthorized }
        ) { authorized in
            var sent = request
            sent.headerFields = authorized.headerFields
            return try await next(sent, body, baseURL)
        }
    }
}
// end sample

// The protocol and the body of swift-openapi-runtime 1.8, as far as a middleware sees them.

protocol ClientMiddleware: Sendable {
    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?)
}

final class HTTPBody: Sendable {
    enum IterationBehavior: Sendable { case single, multiple }
    let bytes: [UInt8]
    let iterationBehavior: IterationBehavior

    init(_ text: String, _ iterationBehavior: IterationBehavior = .multiple) {
        (bytes, self.iterationBehavior) = (Array(text.utf8), iterationBehavior)
    }
}

@Suite struct OpenAPISamples {
    private let request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/widgets")

    /// Calls the API that refuses the token "a".
    private func call(
        _ base: String, _ body: HTTPBody?, with provider: some AuthorizationProvider
    ) async throws -> (status: HTTPResponse.Status, sent: [String]) {
        let log = Log()
        let (response, _) = try await AuthorizationMiddleware(provider: provider).intercept(
            request, body: body, baseURL: try #require(URL(string: base)), operationID: "make"
        ) { request, body, url in
            let credential = request.headerFields[.authorization] ?? "none"
            let text = body.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "no body"
            let address = "\(request.scheme ?? "-") \(request.authority ?? "-") \(request.path ?? "-")"
            await log.add("\(url) \(address) \(credential) \(text)")
            return (HTTPResponse(status: credential == "Bearer a" ? .unauthorized : .ok), nil)
        }
        return (response.status, await log.lines)
    }

    @Test func `a generated client's call is authorized, and after a 401 refreshed and sent again`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
        let outcome = try await call(
            "https://api.example/v1", HTTPBody("{}"), with: auth.restricted(to: "https://api.example"))
        #expect(outcome.status == .ok)
        #expect(
            outcome.sent == [
                "https://api.example/v1 - - /widgets Bearer a {}", "https://api.example/v1 - - /widgets Bearer b {}",
            ])
    }

    @Test func `a body that can be read once is sent once`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
        let outcome = try await call("https://api.example:8443", HTTPBody("{}", .single), with: auth)
        #expect(outcome.status == .unauthorized)
        #expect(outcome.sent == ["https://api.example:8443 - - /widgets Bearer a {}"])
    }

    @Test(
        arguments: [
            ("https://api.example/v1", "https://api.example/v1/widgets"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443/widgets"),
        ])
    func `a provider sees the address that the transport calls`(base: String, target: String) async throws {
        let seen = Log()
        let provider = ClosureAuthorization(fields: { request in
            await seen.add(request.targetURI ?? "none")
            return ["Authorization": "Bearer b"]
        })
        #expect(try await call(base, nil, with: provider).status == .ok)
        #expect(await seen.lines == [target])
    }

    @Test func `the base URL decides whether the credential is sent`() async throws {
        let auth = BearerTokenAuthorization(token: "b").restricted(to: "https://api.example:8443")
        #expect(try await call("https://api.example:8443/v1", nil, with: auth).sent.count == 1)
        await #expect(throws: NotAuthorized.self) { try await call("https://api.example/v1", nil, with: auth) }
    }
}

private actor Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
#endif
