// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import SpotifyDemo
import Testing

@Suite struct `The demo, end to end` {
    @Test(arguments: TokenPolicy.Rotation.allCases)
    func `loses nothing and asks for nothing twice`(rotation: TokenPolicy.Rotation) async throws {
        let report = try await Demo(DemoOptions(requests: 60, tokenLifetime: 1, rotation: rotation)).run()

        #expect(report.problems(faultsWereAsked: false) == [])
        #expect(report.requests == 60)
        #expect(report.succeeded == 60)
        #expect(report.tokenCalls == report.expiries)
        #expect(report.unauthorized >= 5, "a wave of five found the tokens revoked")
        #expect(report.revocations == 1)
    }

    @Test func `loses nothing and asks for nothing twice while things go wrong`() async throws {
        let report = try await Demo(DemoOptions(requests: 120, tokenLifetime: 1, faults: true)).run()

        #expect(report.problems(faultsWereAsked: true) == [])
        #expect(report.failed > 0)
        #expect(report.failures["Spotify answered 500"] == 3)
        #expect(report.failures["Spotify answered 429"] == 3)
        #expect(report.retriesAfterLostAnswer == 1)
    }
}
