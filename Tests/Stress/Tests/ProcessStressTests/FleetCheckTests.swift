// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import ProcessStress
import Testing

/// Handwritten logs of fleets. The check must find every fault, and accept the losses that a server without grace
/// causes.
@Suite struct FleetCheckTests {
    private let one = UUID()
    private let other = UUID()

    @Test func `the row's history is judged by session and generation`() {
        let saves: [(UUID, Int)] = [(one, 0), (one, 1), (one, 3), (other, 0), (other, 1)]
        let report = LogCheck.report(on: .fleet(lines: saves.map { .saved($0, $1) }))
        #expect(report.problems == [])
        #expect(report.fleet?.saves == 5 && report.fleet?.staleSaves == 0)
    }

    @Test(arguments: [[0, 2, 1], [0, 1, 1], [1, 0]])
    func `a stale token that replaces a newer one is found`(generations: [Int]) {
        let report = LogCheck.report(on: .fleet(lines: generations.map { .saved(one, $0) }))
        #expect(report.fleet?.staleSaves == 1)
        #expect(report.problems.count == 1)
    }

    @Test func `a token of a replaced session is found`() {
        let report = LogCheck.report(on: .fleet(.saved(one, 0), .saved(other, 0), .saved(one, 1)))
        #expect(report.fleet?.staleSaves == 1)
    }

    @Test func `in chaos a repeated presentation is a retry if the successor had not been saved by then`() {
        let lines: [LogLine] = [.committed(0, by: "0.0", at: 10), .replayed(0, by: "1.0", at: 20)]
        let unsaved = LogCheck.report(on: .fleet(chaos: true, lines: lines + [.saved(one, 0, 1), .saved(one, 1, 21)]))
        #expect(unsaved.retriesAfterLostAnswer == 1 && unsaved.duplicateTokenCalls == 0)
        #expect(unsaved.problems == [])
        let saved = LogCheck.report(on: .fleet(chaos: true, lines: lines + [.saved(one, 0, 1), .saved(one, 1, 19)]))
        #expect(saved.retriesAfterLostAnswer == 0 && saved.duplicateTokenCalls == 1)
        #expect(saved.problems == ["1 duplicate token calls"])
    }

    @Test(
        arguments: [
            // When the token was presented again, when its successor was saved, and whether that explains the loss. The
            // grace is 60 s.
            (100.0, nil, true), (100, 99, true), (100, 30, false), (40, nil, false), (40, 30, false),
        ] as [(Double, Double?, Bool)])
    func `a loss in chaos is explained after the grace if no successor was saved within it`(
        again: Double, saved: Double?, isExplained: Bool
    ) {
        var lines: [LogLine] = [.committed(0, by: "0.0", at: 10), .reused(0, by: "1.0", at: again), .saved(one, 0, 1)]
        if let saved { lines.append(.saved(one, 1, saved)) }
        let report = LogCheck.report(on: .fleet(chaos: true, lines: lines))
        #expect(report.sessionsLost == 1)
        #expect(report.fleet?.lossesExplained == (isExplained ? 1 : 0))
        #expect(report.problems.contains { $0.contains("could still have been") } == !isExplained)
    }

    @Test func `the time until the last replica has the token counts from the exchange`() {
        let report = LogCheck.report(
            on: .fleet(
                .committed(0, by: "0.0", at: 10), .used(1, by: "0.0", at: 11), .used(0, by: "1.0", at: 12),
                .used(1, by: "1.0", at: 14), .used(1, by: "1.0", at: 20)))
        #expect(report.fleet?.rotationToLastMedianSeconds == 4)
        #expect(report.fleet?.rotationToLastP99Seconds == 4)
    }

    @Test func `clocks that differ may cause more calls, but no duplicates`() {
        let calls: [LogLine] = [
            .expired(0), .committed(0, by: "0.0", at: 1), .committed(1, by: "1.0", at: 2),
            .committed(2, by: "0.0", at: 3), .used(3, by: "0.0", at: 4), .used(3, by: "1.0", at: 4),
        ]
        #expect(LogCheck.report(on: .fleet(expiries: 1, offset: 3600, lines: calls)).problems == [])
        #expect(LogCheck.report(on: .fleet(expiries: 1, lines: calls)).problems.count == 1)
    }
}

extension [LogLine] {
    /// A log of two replicas that share a new token.
    fileprivate static func fleet(
        chaos: Bool? = nil, expiries: Int? = nil, offset: Double? = nil, _ lines: LogLine...
    ) -> [LogLine] {
        fleet(chaos: chaos, expiries: expiries, offset: offset, lines: lines)
    }

    fileprivate static func fleet(
        chaos: Bool? = nil, expiries: Int? = nil, offset: Double? = nil, lines: [LogLine]
    ) -> [LogLine] {
        var setting = RunSetting(workers: 2, expiries: expiries, grace: 60)
        (setting.isFleet, setting.isChaos, setting.clockOffset) = (true, chaos, offset)
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
    fileprivate static func saved(_ session: UUID, _ generation: Int, _ time: Double? = nil) -> LogLine {
        var line = LogLine(.saved, place: Place(family: 0, generation: generation))
        (line.session, line.savedAt) = (session, time)
        return line
    }
    fileprivate static func expired(_ generation: Int) -> LogLine {
        LogLine(.expired, place: Place(family: 0, generation: generation))
    }
    fileprivate static func committed(_ generation: Int, by process: String, at time: Double) -> LogLine {
        line(.committed, generation, process, time)
    }
    fileprivate static func replayed(_ generation: Int, by process: String, at time: Double) -> LogLine {
        line(.replayed, generation, process, time)
    }
    fileprivate static func reused(_ generation: Int, by process: String, at time: Double) -> LogLine {
        line(.reused, generation, process, time)
    }
    fileprivate static func used(_ generation: Int, by process: String, at time: Double) -> LogLine {
        line(.used, generation, process, time)
    }
    private static func line(_ event: Event, _ generation: Int, _ process: String, _ time: Double) -> LogLine {
        LogLine(
            event, time: time, process: ProcessName(process), place: Place(family: 0, generation: generation), held: 0)
    }
}
