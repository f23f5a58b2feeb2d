// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Derives the verdict on a run from the server's log.
///
///     let report = LogCheck.report(on: try LogLine.read(file))
///     if !report.problems.isEmpty { … }
///
/// It uses the log alone, without any counter of the test tool.
public struct LogCheck {
    private let lines: [LogLine]
    private let setting: RunSetting
    private var report = StressReport()
    /// The log lines of each refresh token's presentations, in order.
    private var presentations: [Place: [LogLine]] = [:]
    /// The first use of each access token.
    private var firstUses: [Place: LogLine] = [:]
    /// The last line of each process that died.
    private var kills: [ProcessName: LogLine] = [:]
    /// The token calls whose answers did not arrive.
    private var lostCalls: Set<Int> = []
    /// The processes whose kill has explained a lost session.
    private var spentKills: Set<ProcessName> = []
    private var endedFamilies: Set<Int> = []
    /// The families that were ended or replaced on purpose.
    private var changedFamilies: Set<Int> = []
    /// The family of each request's first token, and the requests that were sent with another family's token later.
    private var senders: [SentRequest: Int] = [:]
    private var sentAsOtherUser: Set<SentRequest> = []
    private var lockWaits: [Double] = []
    private var controlWaits: [Double] = []
    /// The tokens that the database has held, if there is one.
    private let history: RowHistory

    /// Judges a whole log.
    public static func report(on lines: [LogLine]) -> StressReport {
        guard let setting = lines.first?.setting, lines.first?.event == .began else {
            var report = StressReport()
            report.problems = ["the log does not begin with the settings of the run"]
            return report
        }
        var check = LogCheck(lines: lines, setting: setting)
        check.run()
        return check.report
    }

    private init(lines: [LogLine], setting: RunSetting) {
        self.lines = lines
        self.setting = setting
        report.workers = setting.workers
        history = RowHistory(lines)
    }

    private mutating func run() {
        if setting.isFleet == true { report.fleet = FleetReport() }
        collect()
        for line in lines {
            switch line.event {
            case .committed, .replayed, .reused, .refused: judgePresentation(line)
            case .signedOut: judgeSignOut(line)
            case .used, .unauthorized: judgeSender(line)
            case .dismissed: report.requestsDismissed += 1
            case .failed: report.passingFailures += 1
            default: break
            }
            if line.event == .controlled {
                controlWaits += line.lockWaits ?? []
            } else {
                lockWaits += line.lockWaits ?? []
            }
            report.longestBlockSeconds = max(report.longestBlockSeconds, line.held ?? 0)
        }
        judgeResurrections()
        countExpiries()
        report.lockWaitP99Seconds = Self.p99(of: lockWaits)
        report.controlWaitP99Seconds = Self.p99(of: controlWaits)
        judgeFleet()
        conclude()
    }

    private static func p99(of waits: [Double]) -> Double {
        percentile(99, of: waits)
    }

    private static func percentile(_ percent: Int, of values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    // MARK: - Lines

    private mutating func collect() {
        for (index, line) in lines.enumerated() {
            if line.number != index { complain("line \(index) has the number \(line.number)") }
            switch line.event {
            case .used:
                if let place = line.place, firstUses[place] == nil { firstUses[place] = line }
            case .killed:
                guard let process = line.process else { break }
                kills[process] = line
                report.killsPerPoint[line.point ?? "?", default: 0] += 1
            case .ended:
                report.sessionChanges += 1
                if let place = line.place { changedFamilies.insert(place.family) }
            case .replaced:
                report.sessionChanges += 1
                if let place = line.place { changedFamilies.formUnion(0..<place.family) }
            case .diskFull: report.fullDisks += 1
            case .stopped: report.fleet?.stops += 1
            case .cut: report.fleet?.cuts += 1
            case .restarted: report.fleet?.databaseRestarts += 1
            case .answerLost:
                if let call = line.call { lostCalls.insert(call) }
                if line.detail != nil { report.faults += 1 }
            default: break
            }
        }
    }

    // MARK: - Calls

    private mutating func judgePresentation(_ line: LogLine) {
        report.tokenCalls += 1
        guard let place = line.place else { return complain("an unknown refresh token", line) }
        let earlier = presentations[place]?.last
        presentations[place, default: []].append(line)
        if let earlier {
            if isLost(earlier, before: line) {
                report.retriesAfterLostAnswer += 1
            } else {
                report.duplicateTokenCalls += 1
            }
        } else if line.event != .committed {
            complain("a refresh token was refused although it had not been presented before", line)
        }
        if line.event == .reused { judgeLoss(line, of: place, after: earlier) }
        if line.event == .replayed, setting.graceMode == .strict {
            complain("a strict server has accepted a spent refresh token", line)
        }
    }

    /// Whether the result of a call was lost: no living process can have received it.
    private func isLost(_ earlier: LogLine, before line: LogLine) -> Bool {
        guard let process = earlier.process, let place = earlier.place else { return false }
        // In chaos, processes do not report their losses. The database shows whether the token was saved.
        if setting.isChaos == true { return !history.holds(place.next, before: line.time) }
        // A process had the successor.
        if let use = firstUses[place.next], use.number < line.number { return false }
        return lostCalls.contains(earlier.number) || kills[process] != nil
    }

    // MARK: - Sessions

    /// The server has ended a family.
    private mutating func judgeLoss(_ line: LogLine, of place: Place, after earlier: LogLine?) {
        guard endedFamilies.insert(place.family).inserted else { return }
        report.sessionsLost += 1
        if setting.isChaos == true { return judgeLossInChaos(line, of: place) }
        guard setting.graceMode == .strict else {
            return complain("a session was lost", line)
        }
        guard let earlier, let process = earlier.process, let kill = kills[process], isLost(earlier, before: line),
            isBetweenCommitAndSave(kill), spentKills.insert(process).inserted
        else { return complain("a session was lost that no kill between commit and save explains", line) }
        report.sessionsLostByStrictServer += 1
    }

    /// Explains a loss: the replica with the successor could not save it within the grace.
    private mutating func judgeLossInChaos(_ line: LogLine, of place: Place) {
        guard let commit = presentations[place]?.first(where: { $0.event == .committed }),
            !history.holds(place.next, before: commit.time + setting.grace), line.time > commit.time + setting.grace
        else { return complain("a session was lost whose token was saved, or could still have been", line) }
        report.fleet?.lossesExplained += 1
    }

    private func isBetweenCommitAndSave(_ kill: LogLine) -> Bool {
        guard let point = kill.point.flatMap(KillPoint.init(rawValue:)) else { return kill.point == "random" }
        return point.isBetweenCommitAndSave
    }

    /// A worker was told that the session is over. The server must have ended it.
    private mutating func judgeSignOut(_ line: LogLine) {
        let families = lines.prefix(line.number).filter { $0.event == .signedIn }.compactMap(\.place?.family)
        guard let family = families.last, !endedFamilies.contains(family), !changedFamilies.contains(family) else {
            return
        }
        endedFamilies.insert(family)
        report.sessionsLost += 1
        complain("a worker is signed out of a session that the server has not ended", line)
    }

    /// When all tokens have expired after the end of a session, no worker may get or use another one.
    private mutating func judgeResurrections() {
        var (ended, over, back) = (Set<Int>(), Set<Int>(), Set<Int>())
        for line in lines {
            guard let family = line.place?.family else { continue }
            switch line.event {
            case .ended: ended.insert(family)
            case .replaced: ended.formUnion(0..<family)
            case .expired: over.formUnion(ended)
            case .committed, .replayed, .reused, .used:
                guard over.contains(family), back.insert(family).inserted else { break }
                report.sessionsResurrected += 1
                complain("a session was used after it had been ended", line)
            default: break
            }
        }
    }

    // MARK: - Requests

    private struct SentRequest: Hashable {
        let process: ProcessName
        let number: Int
    }

    /// A request that was sent with one user's token must not be sent again with another user's.
    private mutating func judgeSender(_ line: LogLine) {
        guard let process = line.process, let number = line.request, let family = line.place?.family else { return }
        let request = SentRequest(process: process, number: number)
        let first = senders[request, default: family]
        senders[request] = first
        guard first != family, sentAsOtherUser.insert(request).inserted else { return }
        report.sentAsOtherUser += 1
        complain("a request of session \(first) was sent again as another user", line)
    }

    // MARK: - Fleets

    private mutating func judgeFleet() {
        guard var fleet = report.fleet else { return }
        let times = rotations()
        fleet.rotationToLastMedianSeconds = Self.percentile(50, of: times)
        fleet.rotationToLastP99Seconds = Self.percentile(99, of: times)
        (fleet.saves, fleet.staleSaves) = (history.count, history.staleSaves.count)
        report.fleet = fleet
        for save in history.staleSaves { complain("a stale token was saved over a newer one", save) }
    }

    /// The times from each exchange until the last worker used its token, or a newer one.
    private func rotations() -> [Double] {
        var (begun, waiting): ((place: Place, time: Double)?, Set<Int>) = (nil, [])
        var times: [Double] = []
        for line in lines {
            if line.event == .committed, let place = line.place {
                (begun, waiting) = ((place.next, line.time), Set(0..<setting.workers))
            } else if line.event == .used, let start = begun, let place = line.place, place >= start.place {
                if let worker = line.process?.worker { waiting.remove(worker) }
                guard waiting.isEmpty else { continue }
                times.append(line.time - start.time)
                begun = nil
            }
        }
        return times
    }

    // MARK: - Expiries

    /// An expiry counts if every worker has used a newer token before the next one.
    private mutating func countExpiries() {
        var uses: [Int: Place] = [:]
        var expired: [Place] = []
        func isPassed(_ place: Place) -> Bool {
            (0..<setting.workers).allSatisfy { worker in uses[worker].map { $0 > place } ?? false }
        }
        for line in lines {
            if line.event == .used, let worker = line.process?.worker, let place = line.place {
                uses[worker] = max(uses[worker] ?? place, place)
            } else if line.event == .expired, let place = line.place {
                if let last = expired.last, isPassed(last) { report.expiries += 1 }
                expired.append(place)
            }
        }
        if let last = expired.last, isPassed(last) { report.expiries += 1 }
        guard report.kills + report.faults == 0, setting.isCalm else { return }
        for place in expired where presentations[place]?.count != 1 && !changedFamilies.contains(place.family) {
            complain("\(presentations[place]?.count ?? 0) token calls for the expiry of \(place)")
        }
    }

    // MARK: - The verdict

    private mutating func conclude() {
        if report.duplicateTokenCalls > 0 { complain("\(report.duplicateTokenCalls) duplicate token calls") }
        if report.retriesAfterLostAnswer > report.kills + report.faults, setting.isChaos != true {
            complain("\(report.retriesAfterLostAnswer) retries, more than kills and faults")
        }
        if report.passingFailures > 0, report.kills + report.faults + report.fullDisks == 0,
            setting.isChaos != true
        {
            complain("\(report.passingFailures) requests got an error in place of a token")
        }
        if report.longestBlockSeconds > setting.deadline {
            complain("a request was held for \(report.longestBlockSeconds) s")
        }
        if let expiries = setting.expiries {
            if report.expiries < expiries { complain("\(report.expiries) expiries in place of \(expiries)") }
            if report.kills + report.faults == 0, setting.isCalm, report.tokenCalls > report.expiries + 1 {
                complain("\(report.tokenCalls) token calls for \(report.expiries) expiries")
            }
        }
    }

    private mutating func complain(_ problem: String, _ line: LogLine? = nil) {
        let place = line.flatMap { line in line.place.map { "\($0.family).\($0.generation)" } } ?? ""
        report.problems.append(line.map { "line \($0.number) (\(place)): \(problem)" } ?? problem)
    }
}
