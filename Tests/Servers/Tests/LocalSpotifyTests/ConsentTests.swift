// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `The consent page over a socket` {
    private func serve(
        clock: ManualClock = ManualClock(), _ body: (LocalSpotify, inout Visitor) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(clock: clock)
        try await spotify.serve { url in
            var visitor = Visitor(url)
            try await body(spotify, &visitor)
        }
    }

    @Test func `names the app and its scopes, and loads nothing from elsewhere`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path())

            #expect(page.status == 200)
            #expect(page.text.contains("Local Client wants to use your account"))
            #expect(page.text.contains("<li>See your e-mail address</li>"))
            #expect(page.text.contains("<li>See what you play, and on which device</li>"))
            #expect(page.text.contains(#"<button id="allow" class="go" name="decision" value="allow">"#))
            #expect(page.text.contains(#"<button id="deny" name="decision" value="deny">"#))
            #expect(!page.text.contains("https://"))
            #expect(!page.text.contains("<script"))
        }
    }

    @Test func `can be neither cached nor framed`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path())
            #expect(page.field("Cache-Control") == "no-store")
            #expect(page.field("X-Frame-Options") == "DENY")
            let policy = try #require(page.field("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
            #expect(
                policy.contains("form-action 'self' http://127.0.0.1:49152; frame-ancestors 'none'; base-uri 'none'"))
            let cookie = try #require(page.field("Set-Cookie"))
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        }
    }

    @Test func `redirects a user who agrees with a code, the state and the issuer`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.press("allow", onPageAt: SignIn.path())

            let (address, parameters) = try page.location
            #expect(page.status == 303)
            #expect(address == "http://127.0.0.1:49152/callback")
            #expect(parameters.keys.sorted() == ["code", "iss", "state"])
            #expect(parameters["state"] == "st&te")
            #expect(parameters["iss"] == visitor.url.absoluteString)
            let reply = try await Client(visitor.url).token(SignIn.form(try #require(parameters["code"])))
            #expect(reply.status == 200)
            #expect(try reply.decode(Client.Tokens.self).scope == "user-read-email user-read-playback-state")
        }
    }

    @Test func `redirects a user who refuses with an error, the state and the issuer`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.press("deny", onPageAt: SignIn.path())
            let expected = ["error": "access_denied", "state": "st&te", "iss": visitor.url.absoluteString]
            #expect(try page.location.parameters == expected)
        }
    }

    @Test(arguments: [
        ["client_id": "nobody"], ["client_id": nil], ["redirect_uri": nil],
        ["redirect_uri": "http%3A%2F%2F127.0.0.1%3A49152%2Felsewhere"],
        ["redirect_uri": "http%3A%2F%2Flocalhost%3A49152%2Fcallback"],
        ["redirect_uri": "http%3A%2F%2F127.0.0.1.example.com%2Fcallback"],
        ["redirect_uri": "http%3A%2F%2F127.0.0.1%3A49152%40example.com%2Fcallback"],
        ["redirect_uri": "http%3A%2F%2F127.0.0.1%3A99999%2Fcallback"],
        ["redirect_uri": "local-app%3A%2F%2Flogin-callback%2F"],
        ["redirect_uri": "https%3A%2F%2Fexample.com&redirect_uri=local-app%3A%2F%2Flogin-callback"],
    ])
    func `does not redirect if the client or the redirect URI is unknown`(changes: [String: String?]) async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path(changes))
            #expect(page.status == 400)
            #expect(page.field("Location") == nil)
            #expect(page.text.contains(#"<p id="problem">The app that sent you here "#))
        }
    }

    @Test(arguments: [
        "http%3A%2F%2F127.0.0.1%3A1%2Fcallback", "http%3A%2F%2F127.0.0.1%2Fcallback",
        "http%3A%2F%2F%5B%3A%3A1%5D%3A65535%2Fcallback", "local-app%3A%2F%2Flogin-callback",
    ])
    func `accepts a loopback address with any port, and other addresses only as registered`(uri: String) async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path(["redirect_uri": uri]))
            #expect(page.status == 200)
            let location = try #require(try await visitor.press("allow", on: page).field("Location"))
            #expect(location.hasPrefix((uri.removingPercentEncoding ?? "") + "?code="))
        }
    }

    @Test(
        arguments: [
            (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
            (["code_challenge": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["scope": "user-read-email+everything"], "invalid_scope"), (["state": "a&state=b"], "invalid_request"),
        ] as [([String: String?], String)])
    func `tells the app what is wrong with its request`(changes: [String: String?], error: String) async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path(changes))
            let (address, parameters) = try page.location
            #expect(address == "http://127.0.0.1:49152/callback")
            #expect(parameters["error"] == error)
            #expect(parameters["iss"] == visitor.url.absoluteString)
            #expect(parameters["code"] == nil)
        }
    }

    @Test func `reflects nothing that it was sent`() async throws {
        try await serve { _, visitor in
            let script = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E"
            for name in ["client_id", "redirect_uri", "state", "scope", "show_dialog"] {
                let page = try await visitor.open(SignIn.path([name: script]))
                #expect(!page.text.contains("<script"))
                #expect(page.field("Location")?.contains("<") != true)
            }
        }
    }

    @Test func `can be answered once`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path())
            #expect(try await visitor.press("allow", on: page).status == 303)
            #expect(try await visitor.press("allow", on: page).status == 400)
        }
    }

    @Test func `can be answered for ten minutes`() async throws {
        let clock = ManualClock()
        try await serve(clock: clock) { _, visitor in
            let page = try await visitor.open(SignIn.path())
            clock.advance(by: .seconds(600))
            #expect(try await visitor.press("allow", on: page).status == 400)
        }
    }

    @Test func `can be answered only by the browser that shows it, and by its own form`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.open(SignIn.path())
            let form = "ticket=\(try page.ticket)&decision=allow"
            var other = Visitor(visitor.url)

            #expect(try await other.submit(form).status == 400, "no cookie")
            _ = try await other.open(SignIn.path())
            #expect(try await other.submit(form).status == 400, "another browser's cookie")
            for field in [("Origin", "http://127.0.0.1:1"), ("Origin", "null"), ("Sec-Fetch-Site", "same-site")] {
                #expect(try await visitor.submit(form, fields: [field]).status == 400, "\(field)")
            }
            #expect(try await visitor.submit("decision=allow").status == 400, "no ticket")
            let own = [("Origin", visitor.url.absoluteString), ("Sec-Fetch-Site", "same-origin")]
            #expect(
                try await visitor.submit(form, fields: own).status == 303, "the refused forms did not use the ticket up"
            )
        }
    }

    @Test func `is skipped for a confidential client with the same scopes as before`() async throws {
        try await serve { _, visitor in
            let web: [String: String?] = [
                "client_id": "local-web", "code_challenge": nil, "code_challenge_method": nil,
            ]
            _ = try await visitor.press("allow", onPageAt: SignIn.path(web))

            let again = try await visitor.open(SignIn.path(web))
            let dialog = try await visitor.open(SignIn.path(web.merging(["show_dialog": "true"]) { $1 }))
            let more = try await visitor.open(SignIn.path(web.merging(["scope": "user-top-read"]) { $1 }))

            #expect(try again.location.parameters["code"] != nil)
            #expect(dialog.status == 200)
            #expect(more.status == 200)
        }
    }

    @Test func `is never skipped for a public client`() async throws {
        try await serve { _, visitor in
            _ = try await visitor.press("allow", onPageAt: SignIn.path())
            #expect(try await visitor.open(SignIn.path()).status == 200)
        }
    }

    @Test func `is not shown under another name of this machine`() async throws {
        try await serve { _, visitor in
            let page = try await visitor.send("GET", SignIn.path(), nil, [("Host", "evil.example")])
            #expect(page.status == 421)
        }
    }

    @Test func `can be answered without a browser, by the same rules`() async throws {
        try await serve { spotify, visitor in
            let url = try #require(URL(string: visitor.url.absoluteString + SignIn.path()))
            let allowed = try await spotify.callback(for: url)
            let denied = try await spotify.callback(for: url, decision: .deny)

            #expect(allowed.absoluteString.hasPrefix("http://127.0.0.1:49152/callback?code="))
            #expect(denied.query()?.hasPrefix("error=access_denied&state=st%26te&iss=http") == true)
            let bad = try #require(URL(string: visitor.url.absoluteString + SignIn.path(["client_id": "nobody"])))
            await #expect(throws: LocalSpotify.Unanswerable.self) { try await spotify.callback(for: bad) }

            let web = SignIn.path(["client_id": "local-web", "code_challenge": nil, "code_challenge_method": nil])
            _ = try await spotify.callback(for: try #require(URL(string: visitor.url.absoluteString + web)))
            #expect(try await visitor.open(web).location.parameters["code"] != nil, "the page is skipped from now on")
        }
    }
}
