// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `Faults over a socket` {
    @Test func `a slow answer comes after its delay, and the call was served before`() async throws {
        let clock = ManualClock()
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on), clock: clock)
        try await spotify.serve { url in
            let client = Client(url)
            let token = try await client.signIn(at: spotify).refreshToken
            await spotify.inject(.slow(.seconds(3)), on: .tokenEndpoint)

            async let reply = client.refresh(token)
            await clock.sleepers(1)
            #expect(clock.sleeping == [.seconds(3)])
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed])
            clock.advance(by: .seconds(3))

            #expect(try await reply.status == 200)
        }
    }

    @Test func `a call that hangs is neither served nor answered`() async throws {
        let clock = ManualClock()
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on), clock: clock)
        try await spotify.serve { url in
            let token = try await Client(url).signIn(at: spotify).refreshToken
            await spotify.inject(.hang, on: .tokenEndpoint)

            let hanging = Task { try await Client(url).refresh(token) }
            await clock.sleepers(1)
            clock.advance(by: .seconds(86400))
            await clock.sleepers(1)  // still there a day later
            hanging.cancel()

            await #expect(throws: (any Error).self) { try await hanging.value }
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .fault])
            #expect(try await Client(url).refresh(token).status == 200, "the refresh token was not spent")
        }
    }

    @Test func `stopping the server ends a call that hangs`() async throws {
        let clock = ManualClock()
        let spotify = try LocalSpotify(clock: clock)
        await spotify.inject(.hang, on: .webAPI)
        let hanging = try await spotify.serve { url in
            let hanging = Task { try await Client(url).get("/v1/me") }
            await clock.sleepers(1)
            return hanging
        }
        await #expect(throws: URLError.self) { try await hanging.value }
    }

    @Test(arguments: [
        (Fault.Target.webAPI, #"{"error":{"message":"Server error.","status":503}}"#),
        (.tokenEndpoint, #"{"error":"server_error","error_description":"Server error."}"#),
    ])
    func `a server error comes in the words of the service`(target: Fault.Target, text: String) async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let client = Client(url)
            let tokens = try await client.signIn(at: spotify)
            await spotify.inject(.status(503), on: target)
            let call = {
                target == .webAPI
                    ? try await client.get("/v1/me", token: tokens.accessToken)
                    : try await client.refresh(tokens.refreshToken)
            }

            let reply = try await call()

            #expect(reply.status == 503)
            #expect(reply.text == text)
            #expect(try await call().status == 200)
            #expect(await spotify.statistics.faults == 1)
        }
    }

    @Test(arguments: [Fault.Target.webAPI, .tokenEndpoint])
    func `too many calls are answered with 429 and Retry-After`(target: Fault.Target) async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let client = Client(url)
            let tokens = try await client.signIn(at: spotify)
            await spotify.inject(.rateLimited(retryAfter: 7), on: target)

            let reply =
                target == .webAPI
                ? try await client.get("/v1/me", token: tokens.accessToken)
                : try await client.refresh(tokens.refreshToken)

            #expect(reply.status == 429)
            #expect(reply.field("Retry-After") == "7")
            #expect(reply.text.contains("API rate limit exceeded"))
        }
    }

    @Test func `a dropped call was not served`() async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on))
        try await spotify.serve { url in
            let token = try await Client(url).signIn(at: spotify).refreshToken
            await spotify.inject(.dropped, on: .tokenEndpoint)

            await #expect(throws: URLError.self) { try await Client(url).refresh(token) }

            #expect(try await Client(url).refresh(token).status == 200)
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .fault, .refreshed])
            #expect(await spotify.statistics.tokenCalls == 2)
            #expect(await spotify.statistics.duplicateTokenCalls == 0)
        }
    }

    @Test func `a call whose answer is lost was served, and its repetition is no duplicate`() async throws {
        // The machine's speed must not matter.
        let spotify = try LocalSpotify(
            policy: TokenPolicy(rotation: .on, grace: .seconds(5)), clock: ManualClock())
        try await spotify.serve { url in
            let token = try await Client(url).signIn(at: spotify).refreshToken
            await spotify.inject(.answerLost, on: .tokenEndpoint)

            await #expect(throws: URLError.self) { try await Client(url).refresh(token) }

            #expect(try await Client(url).refresh(token).status == 200)
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed, .replayed])
            #expect(await spotify.tokenCalls.map(\.answerLost) == [false, true, false])
            #expect(await spotify.statistics.retriesAfterLostAnswer == 1)
            #expect(await spotify.statistics.duplicateTokenCalls == 0)
        }
    }

    @Test func `sessions that are revoked are over at once`() async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { url in
            let client = Client(url)
            let tokens = try await client.signIn(at: spotify)
            await spotify.revokeSessions()

            #expect(try await client.get("/v1/me", token: tokens.accessToken).status == 401)
            #expect(try await client.refresh(tokens.refreshToken).text.contains("invalid_grant"))
            #expect(await spotify.statistics.sessionsLost == 1)
        }
    }

    @Test func `a fault that was cleared does not happen`() async throws {
        let spotify = try LocalSpotify()
        await spotify.inject(.dropped, on: .tokenEndpoint)
        await spotify.clearFaults()
        try await spotify.serve { url in _ = try await Client(url).signIn(at: spotify) }
    }
}
