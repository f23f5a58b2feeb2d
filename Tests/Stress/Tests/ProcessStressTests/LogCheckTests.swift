// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import ProcessStress
import Testing

/// Handwritten logs with one fault each. The check must find every fault.
@Suite struct LogCheckTests {
    @Test func `a flawless run`() {
        let report = LogCheck.report(
            on: .run(.expired(0), .committed(0, by: "0.0"), .used(1, by: "0.0"), .used(1, by: "1.0")))
        #expect(report.problems == [])
        #expect(report.workers == 2)
        #expect(report.expiries == 1)
        #expect(report.tokenCalls == 1)
        #expect(report.duplicateTokenCalls + report.retriesAfterLostAnswer + report.sessionsLost == 0)
    }

    @Test func `a second presentation without a reason is a duplicate`() {
        let report = LogCheck.report(
            on: .run(
                .expired(0), .committed(0, by: "0.0"), .replayed(0, by: "1.0"), .used(1, by: "0.0"), .used(1, by: "1.0")
            ))
        #expect(report.duplicateTokenCalls == 1)
        #expect(report.retriesAfterLostAnswer == 0)
        #expect(report.problems.contains("1 duplicate token calls"))
        #expect(report.problems.contains { $0.hasPrefix("2 token calls for the expiry") })
    }

    @Test func `a presentation after the death of the first presenter is a retry`() {
        let report = LogCheck.report(
            on: .run(
                .expired(0), .committed(0, by: "0.0"), .killed("0.0", at: .afterCommit), .replayed(0, by: "1.0"),
                .used(1, by: "1.0"), .used(1, by: "0.1")))
        #expect(report.retriesAfterLostAnswer == 1)
        #expect(report.duplicateTokenCalls == 0)
        #expect(report.killsPerPoint == ["afterCommit": 1])
        #expect(report.expiries == 1)
        #expect(report.problems == [])
    }

    @Test func `the death of another process is no reason`() {
        let report = LogCheck.report(
            on: .run(
                .committed(0, by: "0.0"), .killed("1.0", at: .lock), .replayed(0, by: "1.1"), .used(1, by: "1.1")))
        #expect(report.duplicateTokenCalls == 1)
        #expect(report.problems != [])
    }

    @Test func `a death after the first use of the successor is no reason`() {
        let report = LogCheck.report(
            on: .run(
                .committed(0, by: "0.0"), .used(1, by: "1.0"), .killed("0.0", at: .publish), .replayed(0, by: "1.0")))
        #expect(report.duplicateTokenCalls == 1)
    }

    @Test func `a presentation after a dropped answer is a retry, and the drop is a fault`() {
        let report = LogCheck.report(
            on: .run(
                .committed(0, by: "0.0"), LogLine(.answerLost, call: 2, detail: "dropped"), .replayed(0, by: "0.0"),
                .used(1, by: "0.0")))
        #expect(report.retriesAfterLostAnswer == 1)
        #expect(report.faults == 1)
        #expect(report.problems == [])
    }

    @Test func `more retries than kills and faults are a problem`() {
        let report = LogCheck.report(
            on: .run(
                .committed(0, by: "0.0"), .replayed(0, by: "0.0"), .replayed(0, by: "0.0"),
                .killed("0.0", at: .afterCommit)))
        #expect(report.retriesAfterLostAnswer == 2)
        #expect(report.problems == ["2 retries, more than kills and faults"])
    }

    @Test func `a session that ends is lost`() {
        let report = LogCheck.report(
            on: .run(.committed(0, by: "0.0"), .killed("0.0", at: .afterCommit), .reused(0, by: "1.0")))
        #expect(report.sessionsLost == 1)
        #expect(report.sessionsLostByStrictServer == 0)
        #expect(report.problems.contains { $0.hasSuffix("a session was lost") })
    }

    @Test(arguments: KillPoint.allCases)
    func `a strict server may end the session of a process killed between commit and save`(point: KillPoint) {
        let report = LogCheck.report(
            on: .run(
                mode: .strict, .committed(0, by: "0.0"), .killed("0.0", at: point), .reused(0, by: "1.0")))
        #expect(report.sessionsLost == 1)
        let isAllowed = [.afterCommit, .afterWrite].contains(point)
        #expect(report.sessionsLostByStrictServer == (isAllowed ? 1 : 0))
        #expect((report.problems == []) == isAllowed)
    }

    @Test func `one kill explains one loss`() {
        let report = LogCheck.report(
            on: .run(
                mode: .strict, .committed(0, by: "0.0"), .reused(0, by: "1.0"),
                LogLine(.signedIn, place: Place(family: 1, generation: 0)),
                LogLine(.committed, process: ProcessName("0.0"), place: Place(family: 1, generation: 0)),
                LogLine(.reused, process: ProcessName("1.0"), place: Place(family: 1, generation: 0)),
                .killed("0.0", at: .afterCommit)))
        #expect(report.sessionsLost == 2)
        #expect(report.sessionsLostByStrictServer == 1)
        #expect(report.problems.count == 2)  // the loss, and more retries than kills
    }

    @Test func `a worker that is signed out by itself has lost a session`() {
        let report = LogCheck.report(on: .run(LogLine(.signedOut, process: ProcessName("1.0"))))
        #expect(report.sessionsLost == 1)
        #expect(report.problems.contains { $0.contains("signed out of a session that the server has not ended") })
    }

    @Test func `a session whose end the server has reported is not counted twice`() {
        let report = LogCheck.report(
            on: .run(
                mode: .strict, .committed(0, by: "0.0"), .killed("0.0", at: .afterCommit), .reused(0, by: "1.0"),
                LogLine(.signedOut, process: ProcessName("1.0"))))
        #expect(report.sessionsLost == 1)
        #expect(report.problems == [])
    }

    @Test func `a session that is used after its end, when all tokens have expired, has come back`() {
        let ended = LogLine(.ended, process: ProcessName("1.0"), place: Place(family: 0, generation: 0))
        let over = LogLine(.signedOut, process: ProcessName("0.0"))
        let good = LogCheck.report(
            on: .run(expiries: 0, .committed(0, by: "0.0"), ended, .used(1, by: "0.0"), .expired(1), over))
        #expect(good.problems == [] && good.sessionsResurrected == 0 && good.sessionsLost == 0)
        #expect(good.sessionChanges == 1)
        let bad = LogCheck.report(
            on: .run(expiries: 0, ended, .expired(0), .committed(0, by: "0.0"), .used(1, by: "0.0")))
        #expect(bad.sessionsResurrected == 1)
        #expect(bad.problems.contains { $0.hasSuffix("a session was used after it had been ended") })
    }

    @Test func `a session that is used after another user's sign-in, when all tokens have expired, has come back`() {
        let other = Place(family: 1, generation: 0)
        let signIn = [LogLine(.signedIn, place: other), LogLine(.replaced, process: ProcessName("1.0"), place: other)]
        let next = LogLine(.expired, place: other)
        let call = LogLine(.committed, process: ProcessName("1.0"), place: other)
        let good = LogCheck.report(
            on: .run(expiries: 0, lines: [.committed(0, by: "0.0")] + signIn + [.used(1, by: "0.0"), next, call]))
        #expect(good.problems == [] && good.sessionsResurrected == 0 && good.sessionChanges == 1)
        let bad = LogCheck.report(on: .run(expiries: 0, lines: signIn + [next, call, .committed(0, by: "0.0")]))
        #expect(bad.sessionsResurrected == 1)
    }

    @Test func `a request that was refused and is sent again with another user's token`() {
        func tried(_ event: LogLine.Event, _ number: Int, family: Int, by process: String = "0.0") -> LogLine {
            var line = LogLine(event, process: ProcessName(process), place: Place(family: family, generation: 0))
            line.request = number
            return line
        }
        let first = tried(.unauthorized, 1, family: 0)
        let bad = LogCheck.report(
            on: .run(lines: [first, tried(.unauthorized, 1, family: 1), tried(.used, 1, family: 1)]))
        #expect(bad.sentAsOtherUser == 1)
        #expect(bad.problems == ["line 3 (1.0): a request of session 0 was sent again as another user"])
        let again = [tried(.used, 1, family: 0), tried(.used, 2, family: 1), tried(.used, 1, family: 1, by: "1.0")]
        let good = LogCheck.report(
            on: .run(lines: [first, LogLine(.dismissed, process: ProcessName("0.0"))] + again))
        #expect(good.sentAsOtherUser == 0 && good.requestsDismissed == 1 && good.problems == [])
    }

    @Test func `the report has the time that 99 of 100 waits for access took at most`() {
        var line = LogLine.used(0, by: "0.0")
        line.lockWaits = (1...200).map { Double($0) / 1_000 }
        #expect(LogCheck.report(on: .run(line)).lockWaitP99Seconds == 0.199)
    }

    @Test func `waits for a bare lock do not count as waits for the store's lock`() {
        var (line, control) = (LogLine.used(0, by: "0.0"), LogLine(.controlled, process: ProcessName("0.0")))
        (line.lockWaits, control.lockWaits) = ([0.25], [0.5])
        let report = LogCheck.report(on: .run(line, control))
        #expect(report.lockWaitP99Seconds == 0.25)
        #expect(report.controlWaitP99Seconds == 0.5)
    }

    @Test func `failures while the disk is full are expected`() {
        let failed = LogLine(.failed, process: ProcessName("0.0"), held: 0)
        #expect(LogCheck.report(on: .run(LogLine(.diskFull), failed)).problems == [])
    }

    @Test func `an expiry counts when every worker uses a newer token before the next one`() {
        let report = LogCheck.report(
            on: .run(
                expiries: 2, .expired(0), .committed(0, by: "0.0"), .used(1, by: "0.0"), .expired(1),
                .committed(1, by: "0.0"), .used(2, by: "0.0"), .used(2, by: "1.0")))
        #expect(report.expiries == 1)
        #expect(report.problems.contains("1 expiries in place of 2"))
    }

    @Test func `an expiry without a token call, and one with too many`() {
        let without = LogCheck.report(on: .run(.expired(0), .used(1, by: "0.0"), .used(1, by: "1.0")))
        #expect(without.problems.contains { $0.hasPrefix("0 token calls for the expiry") })
        let calls = (0..<3).map { LogLine.committed($0, by: "0.0") }
        let many = LogCheck.report(on: .run(lines: [.expired(0)] + calls + [.used(3, by: "0.0"), .used(3, by: "1.0")]))
        #expect(many.problems == ["3 token calls for 1 expiries"])
    }

    @Test func `the report has the longest block, which must not exceed the deadline`() {
        let held = LogLine(.used, process: ProcessName("0.0"), place: Place(family: 0, generation: 0), held: 2.5)
        #expect(LogCheck.report(on: .run(held)).longestBlockSeconds == 2.5)
        let failed = LogLine(.failed, process: ProcessName("0.0"), held: 30.5)
        let report = LogCheck.report(on: .run(failed, .killed("1.0", at: .lock)))
        #expect(report.problems == ["a request was held for 30.5 s"])
        #expect(report.passingFailures == 1)
    }

    @Test func `a failure without a fault is a problem`() {
        let report = LogCheck.report(on: .run(LogLine(.failed, process: ProcessName("0.0"), held: 0)))
        #expect(report.problems == ["1 requests got an error in place of a token"])
    }

    @Test func `a refresh token that is refused at once, or that is unknown`() {
        let refused = LogLine(.refused, process: ProcessName("0.0"), place: Place(family: 0, generation: 0))
        #expect(LogCheck.report(on: .run(refused)).problems.count == 1)
        #expect(LogCheck.report(on: .run(LogLine(.refused, process: ProcessName("0.0")))).problems.count == 1)
    }

    @Test func `a strict server must not accept a spent token`() {
        let report = LogCheck.report(
            on: .run(mode: .strict, .committed(0, by: "0.0"), .killed("0.0", at: .afterCommit), .replayed(0, by: "1.0"))
        )
        #expect(report.problems.count == 1)
    }

    @Test func `a log with a gap, and one without its first line`() {
        var lines: [LogLine] = .run(.expired(0), .committed(0, by: "0.0"))
        lines.remove(at: 2)
        #expect(LogCheck.report(on: lines).problems.contains("line 2 has the number 3"))
        #expect(LogCheck.report(on: Array(lines.dropFirst())).problems.count == 1)
        #expect(LogCheck.report(on: []).problems.count == 1)
    }

    @Test func `a line that is written and read is the same`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let lines: [LogLine] = .run(.committed(0, by: "0.0"), .killed("0.0", at: .afterRename))
        let encoder = JSONEncoder()
        try Data(lines.map { try encoder.encode($0) + [UInt8(ascii: "\n")] }.joined()).write(to: url)
        #expect(try LogLine.read(url) == lines)
    }
}

extension [LogLine] {
    /// A log of two workers that share a new token.
    fileprivate static func run(
        mode: GraceMode = .previousOnly, expiries: Int? = nil, _ lines: LogLine...
    ) -> [LogLine] {
        run(mode: mode, expiries: expiries, lines: lines)
    }

    fileprivate static func run(
        mode: GraceMode = .previousOnly, expiries: Int? = nil, lines: [LogLine]
    ) -> [LogLine] {
        // The run does not require a number of expiries, but the number of calls is still judged.
        let expected = expiries ?? lines.count { $0.event == .expired }
        let setting = RunSetting(workers: 2, expiries: expected > 0 ? expected : nil, graceMode: mode)
        let first = [
            LogLine(.began, setting: setting), LogLine(.signedIn, place: Place(family: 0, generation: 0)),
        ]
        return (first + lines).enumerated().map { number, line in
            var line = line
            line.number = number
            return line
        }
    }
}

extension LogLine {
    fileprivate static func expired(_ generation: Int) -> LogLine {
        LogLine(.expired, place: Place(family: 0, generation: generation))
    }
    fileprivate static func committed(_ generation: Int, by process: String) -> LogLine {
        LogLine(.committed, process: ProcessName(process), place: Place(family: 0, generation: generation))
    }
    fileprivate static func replayed(_ generation: Int, by process: String) -> LogLine {
        LogLine(.replayed, process: ProcessName(process), place: Place(family: 0, generation: generation))
    }
    fileprivate static func reused(_ generation: Int, by process: String) -> LogLine {
        LogLine(.reused, process: ProcessName(process), place: Place(family: 0, generation: generation))
    }
    fileprivate static func used(_ generation: Int, by process: String) -> LogLine {
        LogLine(.used, process: ProcessName(process), place: Place(family: 0, generation: generation), held: 0)
    }
    fileprivate static func killed(_ process: String, at point: KillPoint) -> LogLine {
        LogLine(.killed, process: ProcessName(process), point: point.rawValue)
    }
}
