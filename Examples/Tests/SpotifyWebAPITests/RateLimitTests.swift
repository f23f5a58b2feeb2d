// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import SpotifyWebAPI

@Suite(.timeLimit(.minutes(5))) struct `A 429` {
    private let refusal = #"{"error": {"status": 429, "message": "API rate limit exceeded"}}"#

    @Test func `makes the call wait as long as Spotify asks, and then repeat`() async throws {
        let server = ScriptedServer(.status(429, refusal, ["Retry-After": "7"]), .json(Documents.user))
        let clock = ManualClock()
        let spotify = try server.client(clock: clock)
        let user = Task { try await spotify.currentUser() }
        await clock.sleeper(for: .seconds(7))
        #expect(await server.sent.count == 1)
        clock.advance(by: .seconds(7))
        #expect(try await user.value.id == "unal")
        #expect(await server.sent.count == 2)
    }

    @Test func `that asks for a wait of hours is an error at once`() async throws {
        let server = ScriptedServer(.status(429, refusal, ["Retry-After": "20520"]))
        let clock = ManualClock()
        do {
            _ = try await server.client(clock: clock).currentUser()
            Issue.record("the call must fail")
        } catch let error as SpotifyError {
            #expect(error.status == 429 && error.retryAfter == .seconds(20520))
            #expect("\(error)".hasSuffix("try again in 20520 s"))
        }
        #expect(await server.sent.count == 1)
    }

    @Test func `is an error when all waits together would be too long`() async throws {
        let server = ScriptedServer(.status(429, refusal, ["Retry-After": "20"]))
        let clock = ManualClock()
        let spotify = try server.client(clock: clock)
        let user = Task { try await spotify.currentUser() }
        await clock.sleeper(for: .seconds(20))
        clock.advance(by: .seconds(20))
        await #expect(throws: SpotifyError.self) { try await user.value }
        #expect(await server.sent.count == 2)
    }

    @Test func `is an error after the last try`() async throws {
        let server = ScriptedServer(.status(429, refusal, ["Retry-After": "1"]))
        let clock = ManualClock()
        let policy = RateLimitPolicy(longestWait: .seconds(1000), attempts: 3)
        let spotify = try server.client(rateLimit: policy, clock: clock)
        let user = Task { try await spotify.currentUser() }
        for _ in 1...2 {
            await clock.sleeper(for: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        await #expect(throws: SpotifyError.self) { try await user.value }
        #expect(await server.sent.count == 3)
    }

    @Test func `without a valid time makes the call wait one second, then two`() async throws {
        let server = ScriptedServer(.status(429), .status(429, "", ["Retry-After": "-5"]), .json(Documents.user))
        let clock = ManualClock()
        let spotify = try server.client(clock: clock)
        let user = Task { try await spotify.currentUser() }
        for seconds in 1...2 {
            await clock.sleeper(for: .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await user.value.id == "unal")
    }

    @Test func `makes the call wait no longer when the task is cancelled`() async throws {
        let server = ScriptedServer(.status(429, refusal, ["Retry-After": "7"]))
        let clock = ManualClock()
        let spotify = try server.client(clock: clock)
        let task = Task { try await spotify.currentUser() }
        await clock.sleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await server.sent.count == 1)
    }

    @Test(arguments: [400, 401, 403, 404, 500, 502, 503])
    func `is the only status after which a call is sent again here`(status: Int) async throws {
        let server = ScriptedServer(.status(status), .json(Documents.user))
        let spotify = try server.client()
        await #expect(throws: SpotifyError.self) { try await spotify.currentUser() }
        #expect(await server.sent.count == 1)
    }
}
