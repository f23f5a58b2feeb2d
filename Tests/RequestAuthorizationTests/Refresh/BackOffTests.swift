// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

struct BackOffTests {
    private let policy = RefreshPolicy.BackOff(
        initial: .seconds(1), maximum: .seconds(60), maximumRetryAfter: .seconds(300))
    private let now = Moment(date: Date(timeIntervalSinceReferenceDate: 1_000), uptime: .seconds(50))

    private func delay(_ backOff: BackOff) -> Duration { backOff.slot - now.uptime }

    @Test func `there is no wait before the first failure`() {
        #expect(BackOff().isOpen(at: Moment(date: .distantPast, uptime: .zero)))
    }

    @Test func `the bound doubles from the first to the greatest`() {
        var backOff = BackOff()
        let delays = (0..<9).map { _ in
            backOff.fail(at: now, policy: policy, random: 1)
            return delay(backOff)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test func `the bound never overflows, for any number of failures`() {
        var backOff = BackOff()
        for _ in 0..<1_000 { backOff.fail(at: now, policy: policy, random: 1) }
        #expect(delay(backOff) == .seconds(60))
    }

    @Test(arguments: [0, 0.25, 0.5, 1])
    func `chance chooses a part of the bound`(random: Double) {
        var backOff = BackOff()
        backOff.fail(at: now, policy: policy, random: 1)
        backOff.fail(at: now, policy: policy, random: random)
        #expect(delay(backOff) == .seconds(2 * random))
    }

    @Test func `the slot is the same on both clocks, and is open from then on`() {
        var backOff = BackOff()
        backOff.fail(at: now, policy: policy, random: 0.5)
        #expect(backOff.slot == now.uptime + .milliseconds(500) && backOff.date(at: now) == now.date + 0.5)
        #expect(!backOff.isOpen(at: Moment(date: now.date, uptime: now.uptime + .milliseconds(499))))
        #expect(backOff.isOpen(at: Moment(date: now.date, uptime: now.uptime + .milliseconds(500))))
    }

    @Test(arguments: [(2, 2), (300, 300), (301, 300), (86_400, 300)])
    func `a time that the server asks for is honoured up to a bound`(asked: Int, waited: Int) {
        var backOff = BackOff()
        backOff.fail(retryAfter: .seconds(asked), at: now, policy: policy, random: 0)
        #expect(delay(backOff) == .seconds(waited))
        backOff.lift()
        #expect(delay(backOff) == .seconds(waited))
    }

    @Test func `a time that the server asks for never shortens the wait`() {
        var backOff = BackOff()
        for _ in 0..<5 { backOff.fail(at: now, policy: policy, random: 1) }
        backOff.fail(retryAfter: .seconds(1), at: now, policy: policy, random: 1)
        #expect(delay(backOff) == .seconds(32))
    }

    @Test func `a shorter time that the server asks for orders no more than that`() {
        var backOff = BackOff()
        for _ in 0..<5 { backOff.fail(at: now, policy: policy, random: 1) }
        backOff.fail(retryAfter: .seconds(1), at: now, policy: policy, random: 1)
        backOff.lift()
        #expect(delay(backOff) == .seconds(1))
        backOff.fail(retryAfter: .zero, at: now, policy: policy, random: 1)
        backOff.lift()
        #expect(backOff.isOpen(at: now))
    }

    @Test func `a lower bound for one time does not stop the doubling`() {
        var backOff = BackOff()
        for _ in 0..<3 { backOff.fail(at: now, policy: policy, random: 1) }
        backOff.fail(atMost: .seconds(1), at: now, policy: policy, random: 1)
        #expect(delay(backOff) == .seconds(1))
        backOff.fail(at: now, policy: policy, random: 1)
        #expect(delay(backOff) == .seconds(16))
    }

    @Test func `lifting opens the slot, unless the server named its time`() {
        var backOff = BackOff()
        backOff.fail(at: now, policy: policy, random: 1)
        backOff.lift()
        #expect(backOff.isOpen(at: now))
        backOff.fail(retryAfter: .seconds(9), at: now, policy: policy, random: 1)
        backOff.lift()
        #expect(!backOff.isOpen(at: now))
    }

    @Test func `the next failure forgets a time that the server named`() {
        var backOff = BackOff()
        backOff.fail(retryAfter: .seconds(9), at: now, policy: policy, random: 1)
        backOff.fail(at: now, policy: policy, random: 1)
        backOff.lift()
        #expect(backOff.isOpen(at: now))
    }
}
