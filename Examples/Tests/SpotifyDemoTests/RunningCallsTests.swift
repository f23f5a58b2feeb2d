// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@testable import SpotifyDemo

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Unheard: Error {}

@Suite struct `Running calls` {
    @Test func `are counted by how they ended`() async {
        var calls = RunningCalls(limit: 100, patience: .seconds(60))
        await calls.begin {}
        await calls.begin { throw SpotifyError(status: 500) }
        await calls.begin { throw NotAuthorized(.signedOut) }
        await calls.begin { throw URLError(.timedOut) }
        await calls.begin { throw RefreshFailed(underlying: Unheard(), nextTryAt: .now, delivery: .notSent) }
        await calls.begin { throw Unheard() }
        await calls.begin { throw CancellationError() }
        await calls.finish()

        var report = DemoReport()
        report.requests = 8
        calls.tally.enter(in: &report)
        #expect(report.succeeded == 1)
        #expect(report.failed == 4)
        #expect(report.lost == 3, "two unknown errors, and a call that never began")
        #expect(
            report.failures == [
                "Spotify answered 500": 1, "NotAuthorized, signed out": 1, "URLError -1001": 1, "RefreshFailed": 1,
            ])
        #expect(calls.tally.longestWait > .zero)
    }

    @Test func `that never end are abandoned after the patience`() async {
        var calls = RunningCalls(limit: 1, patience: .zero)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        await calls.begin { for await _ in never {} }
        await calls.begin {}  // the limit never allows it
        await calls.finish()

        var report = DemoReport()
        report.requests = 2
        calls.tally.enter(in: &report)
        #expect(report.lost == 2)
    }

    @Test(.timeLimit(.minutes(5)))
    func `may take longer than the patience in all, as long as some begin or end`() async {
        let clock = ManualClock()
        let (waits, gate) = AsyncStream.makeStream(of: Void.self)
        var calls = RunningCalls(limit: 1, patience: .seconds(60), clock: clock)
        await calls.begin { for await _ in waits {} }
        await clock.sleeper(for: .seconds(60))
        clock.advance(by: .seconds(50))
        gate.finish()
        await calls.begin {}  // after the end of the first
        await calls.finish()
        clock.advance(by: .seconds(10))
        await clock.sleeper(for: .seconds(50))
        await calls.begin {}
        await calls.finish()

        #expect(calls.tally.succeeded == 3)
    }

    @Test(.timeLimit(.minutes(5))) func `reach the limit, never exceed it, and all are reported`() async {
        actor Crowd {
            var (now, most) = (0, 0)
            func enter() -> Int {
                now += 1
                most = max(most, now)
                return now
            }
            func leave() { now -= 1 }
        }
        let crowd = Crowd()
        let (told, tell) = AsyncStream.makeStream(of: Int.self)
        let (filling, fills) = AsyncStream.makeStream(of: Void.self)
        // The first calls wait for each other.
        let isFull = Task { for await _ in filling {} }
        var calls = RunningCalls(limit: 3, patience: .seconds(60)) { tell.yield($0) }
        for _ in 0..<50 {
            await calls.begin {
                if await crowd.enter() == 3 { fills.finish() }
                await isFull.value
                await Task.yield()
                await crowd.leave()
            }
        }
        await calls.finish()
        tell.finish()

        #expect(await crowd.most == 3)
        #expect(await told.reduce(into: []) { $0.append($1) } == Array(1...50))
    }
}
