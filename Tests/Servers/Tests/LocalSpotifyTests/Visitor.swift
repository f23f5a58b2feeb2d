// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationURLSession
import Testing

/// A user with a browser that does not follow redirects, so that a test sees each of them.
struct Visitor {
    let url: URL
    var cookie: String?

    init(_ url: URL) { self.url = url }

    struct Page: Sendable {
        let response: TokenResponse

        var status: Int { response.statusCode }
        var text: String { String(decoding: response.body, as: UTF8.self) }
        func field(_ name: String) -> String? { response.headerValues(for: name).first }

        /// The target of a redirect, with the parameters decoded.
        var location: (address: String, parameters: [String: String]) {
            get throws {
                let location = try #require(field("Location"))
                let components = try #require(URLComponents(string: location))
                let items = components.queryItems ?? []
                var address = components
                address.query = nil
                return (
                    try #require(address.string),
                    Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
                )
            }
        }

        var ticket: String {
            get throws { String(try #require(text.firstMatch(of: #/name="ticket" value="([^"]+)"/#)).output.1) }
        }
    }

    mutating func open(_ path: String) async throws -> Page {
        let page = try await send("GET", path, nil)
        if let field = page.field("Set-Cookie") { cookie = String(field.prefix { $0 != ";" }) }
        return page
    }

    func submit(_ form: String, to path: String = "/authorize", fields: [(String, String)] = []) async throws -> Page {
        try await send("POST", path, form, fields)
    }

    func press(_ decision: String, on page: Page, at path: String = "/authorize") async throws -> Page {
        try await submit("ticket=\(page.ticket)&decision=\(decision)", to: path)
    }

    mutating func press(_ decision: String, onPageAt path: String) async throws -> Page {
        let page = try await open(path)
        return try await press(decision, on: page)
    }

    func send(
        _ method: String, _ path: String, _ form: String?, _ fields: [(String, String)] = []
    ) async throws -> Page {
        var all: [(name: String, value: String)] = fields.map { (name: $0, value: $1) }
        if let cookie { all.append((name: "Cookie", value: cookie)) }
        if form != nil { all.append((name: "Content-Type", value: "application/x-www-form-urlencoded")) }
        let address = try #require(URL(string: url.absoluteString + path))
        let request = TokenRequest(method: method, url: address, fields: all, body: Array((form ?? "").utf8))
        return Page(response: try await URLSession.shared.send(request))
    }
}

/// The example of RFC 7636 App. B, and URLs of the consent page.
enum SignIn {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// - Parameter changes: parameters to replace; `nil` removes one.
    static func path(_ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String] = [
            "client_id": "local-client", "redirect_uri": "http%3A%2F%2F127.0.0.1%3A49152%2Fcallback",
            "response_type": "code", "code_challenge": challenge, "code_challenge_method": "S256", "state": "st%26te",
            "scope": "user-read-email+user-read-playback-state",
        ]
        for (name, value) in changes { parameters[name] = value }
        return "/authorize?" + parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// The form that exchanges a code.
    static func form(_ code: String, _ more: String = "&client_id=local-client&code_verifier=\(verifier)") -> String {
        "grant_type=authorization_code&code=\(code)&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback" + more
    }
}
