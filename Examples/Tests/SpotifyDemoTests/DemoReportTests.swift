// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import SpotifyDemo

extension DemoReport {
    /// A report without problems, with a change.
    static func make(_ change: (inout DemoReport) -> Void = { _ in }) -> DemoReport {
        var report = DemoReport()
        (report.requests, report.succeeded, report.unauthorized) = (1000, 1000, 83)
        (report.expiries, report.tokenCalls, report.longestWaitSeconds) = (6, 6, 0.25)
        change(&report)
        return report
    }
}

@Suite struct `The report of a run` {
    @Test func `is fine if every call succeeded and three tokens were replaced`() {
        #expect(DemoReport.make { $0.expiries = 3 }.problems(faultsWereAsked: false).isEmpty)
    }

    @Test(arguments: [true, false])
    func `has a problem if anything was lost or requested twice, with and without faults`(faults: Bool) {
        func problems(_ change: (inout DemoReport) -> Void) -> [String] {
            DemoReport.make(change).problems(faultsWereAsked: faults)
        }
        #expect(problems { $0.lost = 1 } == ["1 calls were lost"])
        #expect(problems { $0.duplicateTokenCalls = 1 } == ["1 token calls were duplicates"])
        #expect(problems { $0.sessionsLost = 1 } == ["1 sessions were lost"])
        #expect(problems { $0.expiries = 2 } == ["only 2 tokens were replaced"])
    }

    @Test func `may have failed calls only if faults were requested`() {
        let report = DemoReport.make { $0.failed = 2 }
        #expect(report.problems(faultsWereAsked: true) == [])
        #expect(report.problems(faultsWereAsked: false) == ["2 calls failed"])
    }

    @Test func `is one JSON object in one line, with the documented names`() throws {
        let json = try DemoReport.make { $0.failures = ["RefreshFailed": 3] }.json
        #expect(
            json
                == #"{"duplicateTokenCalls":0,"expiries":6,"failed":0,"failures":{"RefreshFailed":3},"faults":0,"#
                + #""longestWaitSeconds":0.25,"lost":0,"requests":1000,"retriesAfterLostAnswer":0,"revocations":0,"#
                + #""seconds":0,"sessionsLost":0,"succeeded":1000,"tokenCalls":6,"unauthorized":83,"waves":[]}"#)
    }

    @Test func `can be a table`() {
        let report = DemoReport.make {
            ($0.failed, $0.failures) = (3, ["RefreshFailed": 3])
        }
        #expect(
            report.table == """
                requests                 1000
                succeeded                1000
                failed                      3
                lost                        0
                401s                       83
                tokens replaced             6
                token calls                 6
                duplicate token calls       0
                sessions lost               0
                longest wait           0.25 s
                revocations                 0
                failed: RefreshFailed       3
                time                   0.00 s
                """)
    }

    @Test func `draws a line for each wave`() {
        func wave(_ seconds: Double, _ calls: Int, _ change: (inout DemoWave) -> Void = { _ in }) -> DemoWave {
            var wave = DemoWave()
            (wave.seconds, wave.calls) = (seconds, calls)
            change(&wave)
            return wave
        }
        let report = DemoReport.make {
            $0.waves = [
                wave(0, 84), wave(1.5, 42) { $0.refreshes = 1 },
                wave(12, 1) { ($0.revoked, $0.unauthorized, $0.refreshes) = (true, 1, 2) },
            ]
        }
        #expect(
            report.timeline == """
                  0.00 s  ========================  84 calls
                  1.50 s  ============              42 calls, 1 refresh
                 12.00 s                            1 call, 1 met a 401 after a revocation, 2 refreshes
                """)
    }

    @Test func `says what the figures mean`() {
        #expect(
            DemoReport.make().summary == "83 calls met a 401. 6 refreshes served all calls, and no caller saw an error."
        )
        let report = DemoReport.make {
            ($0.unauthorized, $0.tokenCalls, $0.succeeded, $0.failed, $0.lost) = (1, 1, 995, 3, 2)
        }
        #expect(
            report.summary
                == "1 call met a 401. 1 refresh served 995 of 1000 calls; the others got an error or no answer.")
    }

    @Test func `is preceded by what the run does`() {
        #expect(
            DemoOptions().announcement == """
                1000 calls go to a Spotify on this machine, in about 12 s.
                An access token lives 2 s. Halfway the server revokes all access tokens.
                """)
        #expect(
            DemoOptions(requests: 1, tokenLifetime: 1, faults: true).announcement == """
                1 call goes to a Spotify on this machine, in about 6 s.
                An access token lives 1 s. Halfway the server revokes all access tokens.
                Some calls and refreshes are slow, hang or fail.
                """)
    }
}
