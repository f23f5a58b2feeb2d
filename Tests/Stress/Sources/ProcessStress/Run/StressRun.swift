// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
import Synchronization

/// Tests processes that share a credential.
///
///     let report = try StressRun(StressOptions(.expiries(1000))).run()
///     print(report.problems)
///
/// It starts the server and the workers, moves the clock and kills. ``LogCheck`` derives the result from the server's
/// log. It blocks the thread.
public struct StressRun: Sendable {
    let options: StressOptions
    let folder: StressFolder
    let clock: ClockPage
    let journal: Journal
    let server: TokenServer
    let crew: Crew
    let condemned: Condemned

    /// The server's log.
    public var log: URL { folder.log }

    /// - Parameter folder: the folder for all files; created if it is missing.
    public init(_ options: StressOptions, in folder: URL) throws {
        // Files must be private without the help of a umask. A client that dies must not end the server.
        umask(0)
        signal(SIGPIPE, SIG_IGN)
        self.options = options
        self.folder = StressFolder(folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        chmod(folder.path, 0o700)
        clock = try ClockPage(creating: self.folder.clock)
        journal = try Journal(self.folder.log, clock: clock)
        let condemned = Condemned()
        self.condemned = condemned
        server = try TokenServer(
            TokenServer.Options(
                setting: options.setting, lifetime: options.lifetime, delay: { options.delay },
                refusalDelay: { options.refusalDelay }, losesEvery: options.losesEvery),
            journal: journal, clock: clock, onCommit: { condemned.commit(by: $0) })
        crew = Crew(options, folder: self.folder, port: server.port, journal: journal)
    }

    /// Performs the run.
    ///
    /// - Parameter progress: called with the progress so far.
    public func run(progress: @escaping @Sendable (String) -> Void = { _ in }) throws -> StressReport {
        let began = ContinuousClock.now
        try journal.append(LogLine(.began, setting: options.setting))
        server.start()
        defer {
            crew.disband()
            server.stop()
        }
        let bench = try prepareFleet()
        defer { bench?.end() }
        try crew.signIn()
        let watch = try options.watches > 0 ? WatchProcess(folder.store, looks: options.watches) : nil
        switch options.trial {
        case .expiries(let count): try expire(count, bench, progress)
        case .realTime(let count, let lifetime): try wait(for: count, lifetime: lifetime, progress)
        case .killPoints(let times, let points): try kill(at: points, times: times, progress)
        case .randomKills(let seconds): try killAtRandom(for: seconds, progress)
        case .fullDisk(let times): try fillDisk(times: times, progress)
        case .sessionChanges(let times): try changeSessions(times: times, progress)
        case .chaos(let seconds): try disturb(for: seconds, bench, progress)
        }
        crew.disband()
        let statements = try bench?.finish(journal)
        var report = LogCheck.report(on: try LogLine.read(folder.log))
        // A crash of the database loses its counts.
        if case .expiries = options.trial, report.expiries > 0 {
            report.fleet?.statementsPerExpiry = statements.map { Double($0) / Double(report.expiries) }
        }
        report.seconds = (ContinuousClock.now - began) / .seconds(1)
        report.folder = try watch?.finish()
        return report
    }

    // MARK: - Steps

    /// Moves the clock past the expiry of the newest token and beyond any grace.
    func expireTokens() throws -> Place {
        clock.advance(by: .seconds(max(options.lifetime, options.grace) + 1))
        let place = journal.progress.newest
        try journal.append(LogLine(.expired, place: place))
        return place
    }

    /// Blocks until all living workers use a newer token and are idle.
    func waitUntilAllHavePassed(_ place: Place) throws {
        let names = crew.names
        try waitUntil("all workers use a token newer than \(place)") { $0.hasPassed(place, names) }
    }

    /// Blocks until the log shows something. If a worker must sign in again first, it does so.
    func waitUntil(_ what: String, isMet: (Progress) -> Bool) throws {
        try journal.wait(until: what) { $0.isOver || isMet($0) }
        if journal.progress.isOver { try crew.signInAgain() }
    }

    private func expire(_ count: Int, _ bench: FleetBench?, _ progress: (String) -> Void) throws {
        for done in 1...count {
            let place = try expireTokens()
            crew.goAll()
            try waitUntilAllHavePassed(place)
            // A file store has a control: the delay of a bare lock on this machine.
            if done % 5 == 0, options.fleet == nil {
                crew.controlAll(round: done)
                try journal.wait(until: "all have had the bare lock") { $0.controlled.count >= options.workers }
            }
            try bench?.lookForTokens(every: 20, at: done)
            progress("\(done)/\(count) expiries")
        }
    }

    /// All workers use the token at an easy pace, in real time.
    private func wait(for count: Int, lifetime: Double, _ progress: (String) -> Void) throws {
        var place = journal.progress.newest
        for done in 1...count {
            while journal.progress.issues[place].map({ journal.elapsed < $0 + lifetime }) ?? true { goOnce() }
            try journal.append(LogLine(.expired, place: place))
            while !journal.progress.hasPassed(place, workers: options.workers) { goOnce() }
            place = place.next
            progress("\(done)/\(count) expiries")
        }
    }

    private func goOnce() {
        crew.goAll()
        Thread.sleep(forTimeInterval: 0.04)
    }
}
