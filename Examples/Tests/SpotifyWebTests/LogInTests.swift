// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@testable import SpotifyWeb

@Suite struct LogInTests {
    @Test func `Spotify is asked for the scopes of the pages, and for a code that only this server can use`()
        async throws
    {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn()
            let items = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
            let query = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
            #expect(query["redirect_uri"] == running.base + "/callback")
            #expect(running.base.hasPrefix("http://127.0.0.1:"))
            #expect(query["code_challenge_method"] == "S256")
            #expect(query["code_challenge"]?.count == 43)
            #expect(query["response_type"] == "code" && query["client_id"] == "local-web")
            let scopes = Set((query["scope"] ?? "").split(separator: " "))
            #expect(scopes == ["user-read-playback-state", "user-read-private"])
            #expect(!page.absoluteString.contains("secret"))
            #expect(browser.id?.count == 43)
        }
    }

    @Test func `a log-in leads to the requested page, with a new id`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn(returnTo: "%2Fnow")
            let before = browser.id
            let answer = try await browser.open(try await running.spotify.callback(for: page))
            #expect(answer.status == 303 && answer.location == "/now")
            #expect(browser.id != nil && browser.id != before)
            let now = try await browser.get("/now")
            #expect(now.status == 200 && now.body.contains("Night Ferry"))
            let profile = try await browser.get("/me")
            #expect(profile.body.contains("Local Listener") && profile.body.contains("local-listener"))
            // The old id is worthless.
            var other = running.browser
            other.id = before
            #expect(try await other.get("/me").location == "/?notice=session-ended&return_to=%2Fme")
        }
    }

    @Test func `a log-in leads to no other site`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn(returnTo: "https%3A%2F%2Fevil.example%2F")
            #expect(try await browser.open(try await running.spotify.callback(for: page)).location == "/me")
            #expect(try await browser.get("/login?return_to=//evil.example").location == "/me")
        }
    }

    @Test func `the callback of another browser is refused, and both sessions stay as they are`() async throws {
        try await RunningSite.run { running in
            var mine = running.browser
            var other = running.browser
            var stranger = running.browser
            let page = try await mine.beginLogIn()
            _ = try await other.beginLogIn()
            let callback = try await running.spotify.callback(for: page)
            #expect(try await other.open(callback).status == 400)
            #expect(try await stranger.open(callback).status == 400)
            #expect(stranger.id == nil)
            #expect(await running.spotify.tokenCalls.isEmpty)
            #expect(try await mine.open(callback).location == "/me")
        }
    }

    @Test func `a callback works once`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let callback = try await running.spotify.callback(for: try await browser.beginLogIn())
            #expect(try await browser.open(callback).status == 303)
            let again = try await browser.open(callback)
            #expect(again.status == 400 && again.field("Referrer-Policy") == "no-referrer")
            #expect(await running.spotify.tokenCalls.map(\.outcome) == [.signedIn])
            #expect(try await browser.get("/me").status == 200)
        }
    }

    @Test func `a forged state is refused, and the log-in stays pending`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let callback = try await running.spotify.callback(for: try await browser.beginLogIn())
            for path in [
                "/callback?code=abc&state=forged", "/callback?error=access_denied&state=forged",
                "/callback?error=access_denied", "/callback?code=abc", "/callback",
            ] { #expect(try await browser.get(path).status == 400) }
            #expect(try await browser.open(callback).location == "/me")
        }
    }

    @Test func `a denial is shown, and ends the log-in`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn(returnTo: "%2Fnow")
            let answer = try await browser.open(try await running.spotify.callback(for: page, decision: .deny))
            #expect(answer.status == 403 && answer.body.contains("You did not allow it"))
            #expect(answer.body.contains("/login?return_to=%2Fnow"))
            #expect(try await browser.open(try await running.spotify.callback(for: page)).status == 400)
            #expect(await running.spotify.tokenCalls.isEmpty)
        }
    }

    @Test func `a code that Spotify does not exchange leads to an error page, and to no session`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn()
            await running.spotify.inject(.status(503), on: .tokenEndpoint)
            let answer = try await browser.open(try await running.spotify.callback(for: page))
            #expect(answer.status == 502 && answer.body.contains("The log-in failed"))
            #expect(!answer.body.contains("503") && !answer.body.contains("server_error"))
            #expect(await running.spotify.tokenCalls.count == 1)
            #expect(try await browser.get("/me").location == "/?notice=log-in-first&return_to=%2Fme")
        }
    }

    @Test func `a log-in that took too long is refused`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn()
            running.clock.advance(by: .seconds(600))
            #expect(try await browser.open(try await running.spotify.callback(for: page)).status == 400)
        }
    }

    @Test func `each log-in of a browser has ten minutes`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let first = try await browser.beginLogIn()
            running.clock.advance(by: .seconds(599))
            let second = try await browser.beginLogIn()
            running.clock.advance(by: .seconds(1))
            #expect(try await browser.open(try await running.spotify.callback(for: first)).status == 400)
            #expect(try await browser.open(try await running.spotify.callback(for: second)).location == "/me")
        }
    }
}
#endif
