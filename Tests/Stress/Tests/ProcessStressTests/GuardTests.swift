// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ProcessStress
import Testing

/// Runs without one of the protections of sessions and requests. Each run must find a problem.
@Suite(.timeLimit(.minutes(5))) struct GuardTests {
    @Test(arguments: [[], ["--without-watch"]])
    func `with all protections no session is lost or comes back, and no request is sent as another user`(
        watch: [String]
    ) async throws {
        let (status, report) = try await StressProcess.processes(["--workers", "4", "--session-changes", "5"] + watch)
        #expect(status == 0 && report.problems == [])
        #expect(report.sessionChanges == 5)
        #expect(report.sessionsResurrected + report.sessionsLost + report.sentAsOtherUser == 0)
    }

    // With a third worker the refused one may get that worker's new token first, and retry with that.
    private let refusedAfterSignIn = ["--workers", "2", "--session-changes", "1"]

    @Test func `a request that is refused after another user has signed in is not sent again`() async throws {
        let (status, report) = try await StressProcess.processes(refusedAfterSignIn)
        #expect(status == 0 && report.problems == [])
        #expect(report.requestsDismissed == 1)
    }

    @Test func `a request that is not bound to its session is sent as another user`() async throws {
        let (status, report) = try await StressProcess.processes(refusedAfterSignIn + ["--without-binding"])
        #expect(status == 1)
        #expect(report.sentAsOtherUser > 0)
        #expect(report.sessionsLost == 0)
    }

    @Test func `a session comes back if a removed one counts as lost`() async throws {
        let (status, report) = try await StressProcess.processes(
            ["--workers", "3", "--session-changes", "3", "--without-end", "--without-watch"])
        #expect(status == 1)
        #expect(report.sessionsResurrected > 0)
    }

    @Test func `a session is lost if all workers have access at once`() async throws {
        let (status, report) = try await StressProcess.processes(
            ["--workers", "16", "--expiries", "3", "--without-lock", "--grace-mode", "strict"])
        #expect(status == 1)
        #expect(report.sessionsLost > 0)
    }
}
