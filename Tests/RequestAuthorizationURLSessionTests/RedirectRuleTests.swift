// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct RedirectRuleTests {
    private static let source = "https://api.example.com/v1/a?b=c#top"

    private func request(_ method: String = "GET", body: String? = nil, from source: String = source) throws
        -> URLRequest
    {
        var request = URLRequest(url: try #require(URL(string: source)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.allHTTPHeaderFields = [
            "Authorization": "Bearer x", "DPoP": "proof", "cookie": "a=b", "Proxy-Authorization": "Basic x",
            "X-Key": "k", "Accept": "text/html", "Content-Type": "text/plain",
        ]
        return request
    }

    private func redirection(
        _ request: URLRequest, _ status: Int, to location: String?, hasReplayableBody: Bool = true,
        sessionAddsCredential: Bool = false
    ) throws -> Redirection? {
        let fields = location.map { ["Location": $0] }
        let url = try #require(request.url)
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
        let rule = RedirectRule(credentialFields: ["x-key"], sessionAddsCredential: sessionAddsCredential)
        return rule.redirection(
            after: response, to: request, hasBody: request.httpBody != nil, hasReplayableBody: hasReplayableBody)
    }

    // MARK: - The target

    @Test(arguments: [
        ("https://api.example.com/v2", "https://api.example.com/v2#top"),
        ("/v2", "https://api.example.com/v2#top"),
        ("d?e=f", "https://api.example.com/v1/d?e=f#top"),
        ("?e=f", "https://api.example.com/v1/a?e=f#top"),
        ("//other.example.com/x", "https://other.example.com/x#top"),
        ("/v2#bottom", "https://api.example.com/v2#bottom"),
        ("https://user:secret@other.example.com/", "https://other.example.com/#top"),
        ("HTTPS://other.example.com:8443/", "https://other.example.com:8443/#top"),
        ("HTTP://other.example.com/", "http://other.example.com/#top"),
    ])
    func `a location is resolved against the request`(location: String, expected: String) throws {
        let next = try #require(try redirection(request(), 302, to: location)).request.url
        #expect(next?.absoluteString == expected)
    }

    @Test(arguments: [nil, "", "ftp://api.example.com/", "javascript:alert(1)", "file:///etc/passwd", "https:///x"])
    func `a location that is not http or https hands the redirect back`(location: String?) throws {
        #expect(try redirection(request(), 302, to: location) == nil)
    }

    @Test(arguments: [200, 300, 304, 305, 306, 309, 401]) func `other statuses are answers`(status: Int) throws {
        #expect(try redirection(request(), status, to: "/v2") == nil)
    }

    // MARK: - Method and body

    @Test(arguments: [
        (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"),
        (302, "POST", "GET"), (302, "DELETE", "DELETE"), (302, "PATCH", "PATCH"),
        (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (303, "HEAD", "HEAD"), (303, "GET", "GET"),
        (307, "POST", "POST"), (307, "DELETE", "DELETE"), (308, "POST", "POST"), (308, "PUT", "PUT"),
    ])
    func `methods change as browsers change them`(status: Int, method: String, expected: String) throws {
        let next = try #require(try redirection(request(method, body: "text"), status, to: "/v2"))
        #expect(next.request.httpMethod == expected)
        let isKept = method == expected
        #expect(next.request.httpBody == (isKept ? Data("text".utf8) : nil))
        #expect(next.keepsBody == isKept)
        #expect(next.request.value(forHTTPHeaderField: "Content-Type") == (isKept ? "text/plain" : nil))
    }

    @Test(arguments: [307, 308]) func `a body that cannot be sent again hands the redirect back`(status: Int) throws {
        #expect(try redirection(request("POST", body: "x"), status, to: "/v2", hasReplayableBody: false) == nil)
    }

    @Test func `a body that cannot be sent again does not matter if the redirect drops it`() throws {
        #expect(try redirection(request("POST", body: "x"), 303, to: "/v2", hasReplayableBody: false) != nil)
    }

    @Test func `a body is not sent from https to http`() throws {
        #expect(try redirection(request("POST", body: "x"), 307, to: "http://api.example.com/") == nil)
        #expect(try redirection(request("POST", body: "x"), 302, to: "http://api.example.com/") != nil)
    }

    // MARK: - Credentials

    @Test(arguments: ["/v2", "https://API.EXAMPLE.com/v2", "https://api.example.com:443/v2"])
    func `credentials are kept for the same origin`(location: String) throws {
        let next = try #require(try redirection(request(), 302, to: location))
        #expect(next.keepsCredential)
        #expect(next.request.allHTTPHeaderFields == (try request()).allHTTPHeaderFields)
    }

    @Test(arguments: [
        "https://api.example.com:8443/", "http://api.example.com/", "http://api.example.com:443/",
        "https://example.com/", "https://api.example.com.evil.example/", "https://api.example.com@evil.example/",
        "//evil.example/",
    ])
    func `credentials are dropped for any other origin`(location: String) throws {
        let next = try #require(try redirection(request(), 302, to: location))
        #expect(!next.keepsCredential)
        #expect(next.request.allHTTPHeaderFields == ["Accept": "text/html", "Content-Type": "text/plain"])
    }

    @Test func `a Host field is not sent to another host`() throws {
        var request = try request()
        request.setValue("api.example.com", forHTTPHeaderField: "Host")
        let next = try #require(try redirection(request, 302, to: "https://other.example.com/"))
        #expect(next.request.value(forHTTPHeaderField: "Host") == nil)
    }

    @Test func `a redirect to another origin is handed back if the session would add a credential`() throws {
        #expect(try redirection(request(), 302, to: "//evil.example/", sessionAddsCredential: true) == nil)
        #expect(try redirection(request(), 302, to: "/v2", sessionAddsCredential: true) != nil)
    }
}
