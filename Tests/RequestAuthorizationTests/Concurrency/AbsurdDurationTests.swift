// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// Durations and dates that a caller would write for "never". All of these ended the program.
@Suite(.timeLimit(.minutes(5))) struct AbsurdDurationTests {
    private static let absurd = [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(Int64.max) * 1_000_000]

    @Test(arguments: absurd) func `they can be added to any time`(duration: Duration) {
        #expect(duration.saturated.magnitude <= .ages)
        #expect(ContinuousClock.now + duration.saturated != .now)
    }

    @Test func `usual ones stay as they are`() {
        for duration in [Duration.zero, .nanoseconds(1), .seconds(-5), .seconds(86_400 * 365)] {
            #expect(duration.saturated == duration)
        }
        #expect(Duration.saturated(seconds: 1.5) == .seconds(1.5))
        #expect(Date(timeIntervalSince1970: 1_700_000_000.9).wholeSeconds == 1_700_000_000)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
    func `dates and numbers without meaning have whole seconds`(seconds: Double) {
        #expect(Duration.saturated(seconds: seconds).magnitude <= .ages)
        #expect(Date(timeIntervalSince1970: seconds).wholeSeconds.magnitude <= 200 * 365 * 86_400)
    }

    @Test(arguments: absurd) func `a sleep of the system's clock can be cancelled`(duration: Duration) async {
        let sleep = Task { try await SystemClock().sleep(for: duration) }
        sleep.cancel()
        let result = await sleep.result
        if duration > .zero { #expect(throws: CancellationError.self) { try result.get() } }
    }

    @Test func `a policy keeps none of them`() {
        let ever = Duration.seconds(Int64.max)
        var policy = RefreshPolicy(
            aheadOfExpiry: .inForeground(atMost: ever), deadline: ever, storeDeadline: ever, lockDeadline: ever,
            signInNotice: ever)
        (policy.leeway.maximum, policy.storm.window) = (ever, ever)
        let kept = policy.saturated
        #expect(kept.leeway.maximum == .ages && kept.storm.window == .ages && kept.signInNotice == .ages)
        #expect(kept.deadline == .ages && kept.storeDeadline == .ages && kept.lockDeadline == .ages)
        #expect(kept.aheadOfExpiry.patience == .ages)
    }

    @Test func `a manual clock can be advanced for ever`() async throws {
        let clock = ManualClock()
        let sleep = Task { try await clock.sleep(for: .seconds(Int64.max)) }
        await clock.sleepers(1)
        for _ in 0..<3 { clock.advance(by: .seconds(Int64.max)) }
        try await sleep.value
    }
}

extension Duration { fileprivate var magnitude: Duration { self < .zero ? .zero - self : self } }
