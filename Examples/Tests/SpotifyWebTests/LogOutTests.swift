// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import LocalSpotify
import RequestAuthorizationSpotify
import Testing

@testable import SpotifyWeb

@Suite struct LogOutTests {
    @Test func `the session's own form ends it, also for a copy of the id`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            let copy = browser
            let account = try await running.account(of: browser)
            let answer = try await browser.post("/logout", "csrf=\(browser.get("/me").formToken)")
            #expect(answer.status == 303 && answer.location == "/?notice=logged-out")
            #expect(browser.id == nil)
            var thief = copy
            #expect(try await thief.get("/me").location == "/?notice=session-ended&return_to=%2Fme")
            await #expect { try await account.validToken() } throws: { ($0 as? NotAuthorized)?.reason == .signedOut }
        }
    }

    @Test func `any other form changes nothing`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            var other = try await running.loggedIn()
            let own = try await browser.get("/me").formToken
            let foreign = try await other.get("/me").formToken
            for form in ["", "csrf=", "csrf=\(foreign)", "csrf=\(own.dropLast())", "xcsrf=\(own)", "csrf=\(own)x"] {
                let answer = try await browser.post("/logout", form)
                #expect(answer.status == 403 && answer.body.contains("This form is not of this session"), "\(form)")
            }
            let cross = try await browser.post("/logout", "csrf=\(own)", fields: [("Origin", "https://evil.example")])
            #expect(cross.status == 403)
            #expect(try await browser.get("/logout").status == 404)
            #expect(try await browser.get("/me").status == 200)
        }
    }

    @Test func `a form that is too long is not read`() async throws {
        try await RunningSite.run { running in
            var browser = try await running.loggedIn()
            let form = "x=\(String(repeating: "a", count: 5000))&csrf=\(try await browser.get("/me").formToken)"
            #expect(try await browser.post("/logout", form).status == 413)
            #expect(try await browser.get("/me").status == 200)
        }
    }

    @Test func `a log-out without a session succeeds`() async throws {
        try await RunningSite.run { running in
            var browser = running.browser
            let answer = try await browser.post("/logout", "")
            #expect(answer.location == "/?notice=logged-out")
        }
    }
}
#endif
