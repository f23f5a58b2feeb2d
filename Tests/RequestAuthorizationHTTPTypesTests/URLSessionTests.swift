// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import LoopbackServer
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

/// Tests of what is particular to `HTTPRequest`. `URLSession` itself behaves as with `URLRequest`, which is tested
/// there.
@Suite(.timeLimit(.minutes(5))) struct URLSessionTests {
    private func auth() -> some AuthorizationProvider {
        RefreshableTokenAuthorization(service: ScriptedTokenService(.token("a"), .token("b")))
    }

    private let script: RawServer.Script = { request in
        request["Authorization"] == "Bearer a"
            ? .unauthorized("Basic realm=\"x\"", body: "no") : .status(200, ("X-Trace", "7"), body: "hello")
    }

    @Test func `a data request is sent again after a 401, whether or not it offers Basic`() async throws {
        try await withServer(script) { server in
            let (data, response) = try await URLSession.shared.data(
                for: HTTPRequest(url: server.url("/x?y=1")), authorizedBy: auth())
            #expect(response.status == .ok)
            #expect(response.headerFields[try #require(HTTPField.Name("x-trace"))] == "7")
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect(await server.requests.map(\.target) == ["/x?y=1", "/x?y=1"])
        }
    }

    @Test func `a body is sent again`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let body = Data("body é\r\n".utf8)
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withServer(script) { server in
            let request = HTTPRequest(method: .put, url: server.url("/"))
            let (_, first) = try await URLSession.shared.upload(for: request, from: body, authorizedBy: auth())
            let (_, second) = try await URLSession.shared.upload(for: request, fromFile: file, authorizedBy: auth())
            #expect([first.status, second.status] == [.ok, .ok])
            #expect(await server.requests.map(\.body) == Array(repeating: Array(body), count: 4))
            #expect(await server.requests.map(\.method) == Array(repeating: "PUT", count: 4))
        }
    }

    @Test func `a download leaves a file`() async throws {
        try await withServer(script) { server in
            let (file, response) = try await URLSession.shared.download(
                for: HTTPRequest(url: server.url("/")), authorizedBy: auth())
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(response.status == .ok)
            #expect(try String(contentsOf: file, encoding: .utf8) == "hello")
        }
    }

    @Test func `no value of a repeated field is lost on the way`() async throws {
        try await withServer(script) { server in
            var request = HTTPRequest(url: server.url("/"))
            for value in ["a", "b", "c"] { request.headerFields.append(HTTPField(name: .accept, value: value)) }
            for value in ["x=1", "y=2"] { request.headerFields.append(HTTPField(name: .cookie, value: value)) }
            request.headerFields.append(HTTPField(name: .authorization, value: "old"))
            _ = try await URLSession.shared.data(for: request, authorizedBy: auth())
            let sent = try #require(await server.requests.first)
            #expect(sent.values(of: "Accept").joined(separator: ", ") == "a, b, c")
            #expect(sent.values(of: "Cookie").joined(separator: "; ") == "x=1; y=2")
            #expect(sent.values(of: "Authorization") == ["Bearer a"])
        }
    }

    @Test func `a request without host is refused`() async throws {
        let request = HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/")
        let error = await #expect(throws: URLError.self) {
            try await URLSession.shared.data(for: request, authorizedBy: auth())
        }
        #expect(error?.code == .badURL)
    }

    @Test(arguments: ["http", "https"])
    func `a path that changes the host of the URL does not get the credential`(scheme: String) async throws {
        let request = HTTPRequest(method: .get, scheme: scheme, authority: "127.0.0.1", path: ".evil.invalid/")
        let error = await #expect(throws: URLError.self) {
            try await URLSession.shared.data(for: request, authorizedBy: auth())
        }
        #expect(error?.code == .badURL)
    }
}
#endif
