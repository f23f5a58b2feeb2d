// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ProcessStress
import Testing

/// What keeps sessions and requests where they belong, left out: the run must see it.
@Suite(.timeLimit(.minutes(2))) struct GuardTests {
    @Test(arguments: [[], ["--without-watch"]])
    func `with all of it no session is lost or comes back, and no request goes out as somebody else`(
        watch: [String]
    ) async throws {
        let (status, report) = try await StressProcess.processes(["--workers", "4", "--session-changes", "5"] + watch)
        #expect(status == 0 && report.problems == [])
        #expect(report.sessionChanges == 5)
        #expect(report.sessionsResurrected + report.sessionsLost + report.sentAsSomebodyElse == 0)
        // The moment that matters was met.
        #expect(report.requestsDismissed > 0)
    }

    @Test func `a request that is not bound to its session is sent as somebody else`() async throws {
        let (status, report) = try await StressProcess.processes(
            ["--workers", "3", "--session-changes", "1", "--without-binding"])
        #expect(status == 1)
        #expect(report.sentAsSomebodyElse > 0)
        #expect(report.sessionsLost == 0)
    }

    @Test func `a session comes back if one that was removed counts as lost`() async throws {
        let (status, report) = try await StressProcess.processes(
            ["--workers", "3", "--session-changes", "3", "--without-end", "--without-watch"])
        #expect(status == 1)
        #expect(report.sessionsResurrected > 0)
    }

    @Test func `a session is lost if everybody has access at once`() async throws {
        let (status, report) = try await StressProcess.processes(
            ["--workers", "16", "--expiries", "3", "--without-lock", "--grace-mode", "strict"])
        #expect(status == 1)
        #expect(report.sessionsLost > 0)
    }
}
