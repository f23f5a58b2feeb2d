// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Foundation
import RequestAuthorizationURLSession
import Testing

@testable import SpotifyWeb

/// A browser with one cookie. It returns each redirect to the test.
struct TestBrowser: Sendable {
    struct Answer: Sendable {
        let response: TokenResponse

        var status: Int { response.statusCode }
        var body: String { String(decoding: response.body, as: UTF8.self) }
        var location: String? { field("Location") }
        func field(_ name: String) -> String? { response.headerValues(for: name).first }

        /// The token of the page's form.
        var formToken: String {
            get throws { String(try #require(body.firstMatch(of: #/name="csrf" value="([^"]+)"/#)).output.1) }
        }
    }

    let base: String
    /// The value of the cookie.
    var id: String?

    mutating func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    mutating func post(_ path: String, _ form: String, fields: [(String, String)] = []) async throws -> Answer {
        try await send("POST", path, form, fields)
    }

    /// Presses "Log in".
    ///
    /// - Returns: the page of Spotify to which the browser is redirected.
    mutating func beginLogIn(returnTo: String = "%2Fme") async throws -> URL {
        let answer = try await get("/login?return_to=\(returnTo)")
        #expect(answer.status == 303)
        let location = try #require(answer.location)
        return try #require(URL(string: location))
    }

    /// Opens the URL to which Spotify redirects the browser.
    mutating func open(_ callback: URL) async throws -> Answer {
        #expect(callback.absoluteString.hasPrefix(base + "/"))
        return try await get(String(callback.absoluteString.dropFirst(base.count)))
    }

    // MARK: -

    private mutating func send(
        _ method: String, _ path: String, _ form: String? = nil, _ more: [(String, String)] = []
    ) async throws -> Answer {
        var fields: [(name: String, value: String)] = more.map { (name: $0, value: $1) }
        if let id { fields.append((name: "Cookie", value: "spotify-web=\(id)")) }
        if form != nil { fields.append((name: "Content-Type", value: "application/x-www-form-urlencoded")) }
        let url = try #require(URL(string: base + path))
        let answer = Answer(
            response: try await URLSession.shared.send(
                TokenRequest(method: method, url: url, fields: fields, body: Array((form ?? "").utf8))))
        if let cookie = answer.field("Set-Cookie") {
            let value = try #require(cookie.firstMatch(of: #/^spotify-web=([^;]*)/#)).output.1
            id = value.isEmpty ? nil : String(value)
        }
        return answer
    }
}
#endif
