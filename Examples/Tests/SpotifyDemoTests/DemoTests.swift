// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import RequestAuthorizationTesting
import Testing

@testable import SpotifyDemo

@Suite struct `The demo, end to end` {
    @Test(arguments: TokenPolicy.Rotation.allCases)
    func `loses nothing and requests no token twice`(rotation: TokenPolicy.Rotation) async throws {
        let options = DemoOptions(requests: 60, tokenLifetime: 1, rotation: rotation)
        let clock = ManualClock()
        async let end = Demo(options, clock: clock).run()
        for wave in DemoPlan(options).waves.dropFirst() {
            await clock.sleeper(for: wave.pause)
            clock.advance(by: wave.pause)
        }
        let report = try await end

        #expect(report.problems(faultsWereAsked: false) == [])
        #expect(report.requests == 60)
        #expect(report.succeeded == 60)
        // Every other wave had an expired token, and one had a revoked token.
        #expect(report.expiries == 6)
        #expect(report.tokenCalls == 6)
        #expect(report.unauthorized == 5, "a wave of five had revoked tokens")
        #expect(report.revocations == 1)
        #expect(report.waves.map(\.calls) == Array(repeating: 5, count: 12))
        #expect(report.waves.map(\.refreshes).reduce(0, +) == report.tokenCalls)
        #expect(report.waves.filter { $0.unauthorized > 0 }.map(\.revoked) == [true])
    }

    @Test func `loses nothing and requests no token twice despite faults`() async throws {
        var demo = Demo(DemoOptions(requests: 120, tokenLifetime: 1, faults: true))
        demo.timeout = .seconds(20)  // enough for a busy machine, and half of the patience with all calls
        let report = try await demo.run()

        #expect(report.problems(faultsWereAsked: true) == [])
        #expect(report.failed > 0)
        #expect(report.failures["Spotify answered 500"] == 3)
        #expect(report.failures["Spotify answered 429"] == 3)
        #expect(report.retriesAfterLostAnswer == 1)
    }
}
