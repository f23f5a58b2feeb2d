// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import Testing

@testable import SpotifyDemo

@Suite struct `The plan of a run` {
    @Test(arguments: [1, 2, 7, 60, 999, 1000, 100_000])
    func `contains every call`(requests: Int) {
        let plan = DemoPlan(DemoOptions(requests: requests))
        #expect(plan.waves.reduce(0) { $0 + $1.calls } == requests)
        #expect(plan.waves.allSatisfy { $0.calls > 0 })
    }

    @Test func `lasts at least five token lifetimes, and has one revocation in the middle`() {
        let plan = DemoPlan(DemoOptions(requests: 1000, tokenLifetime: 2))
        #expect(plan.span >= .milliseconds(11_999))
        #expect(plan.waves.count == 12)
        #expect(plan.waves.indices.filter { plan.waves[$0].revokes } == [6])
    }

    @Test func `gives every other wave an expired token`() throws {
        let pause = try #require(DemoPlan(DemoOptions(tokenLifetime: 2)).waves.last?.pause)
        #expect(pause < .seconds(2) && pause * 2 > .seconds(2))
    }

    @Test func `has no faults by default`() {
        #expect(DemoPlan(DemoOptions()).waves.flatMap { $0.faults }.isEmpty)
    }

    @Test func `has all faults if requested, but never for two refreshes in a row`() {
        let waves = DemoPlan(DemoOptions(faults: true)).waves
        let faults = waves.flatMap(\.faults)
        let statuses = faults.compactMap { if case .status(let status) = $0.fault { status } else { nil } }
        #expect(Set(statuses) == [500, 503])
        for fault in [Fault.hang, .dropped, .answerLost, .rateLimited(retryAfter: 1), .slow(.milliseconds(300))] {
            #expect(faults.contains { $0.fault == fault })
        }
        for (wave, next) in zip(waves, waves.dropFirst()) {
            let failing = [wave, next].map { $0.faults.contains { $0.target == .tokenEndpoint } }
            #expect(failing != [true, true])
        }
    }
}
