// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import Testing

@testable import SpotifyWeb

@Suite struct SessionTests {
    @Test func `a user who is not logged in is asked to log in, and comes back to the page`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            for (path, escaped) in [("/me", "%2Fme"), ("/now", "%2Fnow")] {
                let answer = try await browser.get(path)
                #expect(answer.status == 303 && answer.location == "/?notice=log-in-first&return_to=\(escaped)")
                let welcome = try await browser.get(try #require(answer.location))
                #expect(welcome.body.contains("href=\"/login?return_to=\(escaped)\""))
            }
            // A visit without a log-in stores nothing on the server.
            #expect(browser.id == nil)
            #expect(try await running.counts() == (0, 0))
        }
    }

    @Test func `a notice is one of the list`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.get("/?notice=%3Cb%3EBuy%20now%3C/b%3E&notice=logged-out")
            #expect(page.status == 200 && !page.body.contains("Buy") && !page.body.contains("id=\"notice\""))
        }
    }

    @Test func `cookies of the Web API from one user's calls are not sent with another's`() async throws {
        try await RunningSite.run { running in
            let configuration = running.site.urlSession.configuration
            #expect(configuration.httpCookieStorage == nil && configuration.urlCache == nil)
            #expect(!configuration.httpShouldSetCookies)
        }
    }

    @Test func `neither a page nor a cookie contains a token`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let page = try await browser.beginLogIn()
            let callback = try await running.spotify.callback(for: page)
            var answers = [try await browser.open(callback)]
            for path in ["/", "/me", "/now", "/login", "/nowhere"] { answers.append(try await browser.get(path)) }
            let token = try await running.account(of: browser).validToken()
            let secrets = [token.accessToken, try #require(token.refreshToken), "local-secret"]
            for answer in answers {
                let everything = answer.body + answer.response.fields.map(\.value).joined(separator: "\n")
                for secret in secrets { #expect(!everything.contains(secret)) }
            }
            var dumped = ""
            dump(running.site, to: &dumped)
            for secret in secrets + [try #require(browser.id)] { #expect(!dumped.contains(secret)) }
        }
    }

    @Test func `an access token that has expired is refreshed on the server, once for both calls of a page`()
        async throws
    {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            running.clock.advance(by: .seconds(61))
            #expect(try await browser.get("/me").status == 200)
            #expect(await running.spotify.statistics.tokenCalls == 1)
            await running.spotify.revokeAccessTokens()
            #expect(try await browser.get("/me").status == 200)
            #expect(await running.spotify.statistics.tokenCalls == 2)
        }
    }

    @Test func `a session that Spotify has ended ends here too`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            await running.spotify.revokeSessions()
            await running.spotify.revokeAccessTokens()
            #expect(try await browser.get("/now").location == "/?notice=session-ended&return_to=%2Fnow")
            #expect(browser.id == nil)
            #expect(try await running.counts().sessions == 0)
        }
    }

    @Test func `a session without a scope that a page needs ends, and leaves no token`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            let account = try await running.account(of: browser)
            var token = try await account.validToken()
            token.scopes.remove("user-read-playback-state")
            try await account.setToken(token)
            #expect(try await browser.get("/now").location == "/?notice=session-ended&return_to=%2Fnow")
            #expect(browser.id == nil)
            #expect(try await running.counts().sessions == 0)
            await #expect { try await account.validToken() } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
            let callback = try await running.spotify.callback(for: try await browser.beginLogIn())
            #expect(try await browser.open(callback).location == "/me")
        }
    }

    @Test func `the session continues while Spotify is down`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            await running.spotify.inject(.status(503), on: .webAPI)
            let answer = try await browser.get("/now")
            #expect(answer.status == 502 && answer.body.contains("You are still logged in."))
            #expect(!answer.body.contains("503") && !answer.body.contains("Server error."))
            running.clock.advance(by: .seconds(61))
            // A request does not wait for a try that is this far away.
            await running.spotify.inject(.rateLimited(retryAfter: 30), on: .tokenEndpoint)
            #expect(try await browser.get("/now").status == 502)
            running.clock.advance(by: .seconds(61))
            #expect(try await browser.get("/now").status == 200)
        }
    }

    @Test func `a page does not wait as long as Spotify asks for`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            await running.spotify.inject(.rateLimited(retryAfter: 20), on: .webAPI)
            let answer = try await browser.get("/now")
            #expect(answer.status == 502 && answer.body.contains("You are still logged in."))
            #expect(try await browser.get("/now").status == 200)
        }
    }

    @Test func `a user whom Spotify refuses is told so, and the session continues`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            await running.spotify.inject(.status(403), on: .webAPI)
            let answer = try await browser.get("/now")
            #expect(answer.status == 403 && answer.body.contains("Spotify does not let this site see your account"))
            #expect(try await browser.get("/now").status == 200)
        }
    }

    @Test func `a session ends after its time, and its cookie is removed`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            running.clock.advance(by: .seconds(3600))
            let answer = try await browser.get("/me")
            #expect(answer.location == "/?notice=session-ended&return_to=%2Fme")
            #expect(answer.field("Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(browser.id == nil)
        }
    }

    @Test func `each session has its own tokens`() async throws {
        try await RunningSite.run { running in
            var one = try await running.loggedIn()
            let two = try await running.loggedIn()
            let first = try await running.account(of: one).validToken()
            let second = try await running.account(of: two).validToken()
            #expect(first.accessToken != second.accessToken && one.id != two.id)
            let farewell = try await one.post("/logout", "csrf=\(one.get("/").formToken)")
            #expect(farewell.location == "/?notice=logged-out")
            #expect(try await running.account(of: two).validToken() == second)
        }
    }
}
#endif
