// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import LocalSpotify
import RequestAuthorizationSpotify
import RequestAuthorizationTesting
import ServiceLifecycle
import Testing

@testable import SpotifyWeb

@Suite struct ShutdownTests {
    @Test func `a site that is stopped answers the received requests, and then ends the providers`() async throws {
        try await RunningSite.run { running in
            let browser = try await running.loggedIn()
            let account = try await running.account(of: browser)
            running.clock.advance(by: .seconds(61))
            await running.spotify.inject(.slow(.seconds(20)), on: .tokenEndpoint)
            let page = Task {
                var browser = browser
                return try await browser.get("/me").status
            }
            await running.clock.sleeper(for: .seconds(20))

            await running.services.triggerGracefulShutdown()
            running.clock.advance(by: .seconds(20))
            #expect(try await page.value == 200)

            for await _ in running.ended {}
            await #expect { try await account.validToken() } throws: { ($0 as? NotAuthorized)?.reason == .shutDown }
        }
    }
}
#endif
