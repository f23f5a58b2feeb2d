// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

#if !Fleet
/// Without the database driver there is nothing to prepare.
struct FleetBench {
    func end() {}
    func lookForTokens(every count: Int, at number: Int) throws {}
    func finish(_ journal: Journal) throws -> Int { 0 }
}

extension StressRun {
    func prepareFleet() throws -> FleetBench? {
        if options.fleet != nil { throw FleetUnavailable() }
        return nil
    }

    func disturb(for seconds: Double, _ bench: FleetBench?, _ progress: (String) -> Void) throws {
        throw FleetUnavailable()
    }
}
#else
extension StressRun {
    func prepareFleet() throws -> FleetBench? {
        let isChaos = if case .chaos = options.trial { true } else { false }
        return try options.fleet.map { try FleetBench($0, isChaos: isChaos, folder: folder) }
    }

    /// Kills and stops replicas, cuts or swallows their connections, and restarts the database, while tokens live for a
    /// second. When the time is over and each disturbance has happened, they end, and all replicas must continue.
    func disturb(for seconds: Double, _ bench: FleetBench?, _ progress: (String) -> Void) throws {
        guard let fleet = options.fleet, let bench else { throw FleetUnavailable() }
        let chaos = Chaos(self, fleet, bench, seconds: seconds)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end || !chaos.isComplete {
            try chaos.step()
            progress("\(journal.progress.newest.generation) tokens of \(journal.progress.newest.family + 1) sessions")
        }
        try chaos.calm()
        if journal.progress.isOver { try crew.signInAgain() }
        let place = journal.progress.newest
        try journal.append(LogLine(.expired, place: place))
        let patience = ContinuousClock.now + .seconds(60)
        while !journal.progress.hasPassed(place, workers: options.workers) {
            if journal.progress.isOver { try crew.signInAgain() }
            guard ContinuousClock.now < patience else {
                throw NoProgress(what: "all replicas use a token newer than \(place)", patience: 60)
            }
            crew.goAll()
            Thread.sleep(forTimeInterval: 0.2)
        }
    }
}

/// The disturbances of a fleet and their schedule.
private final class Chaos {
    private let run: StressRun
    private let fleet: FleetOptions
    private let bench: FleetBench
    private var stopped: [ProcessName: ContinuousClock.Instant] = [:]
    private var condemned: Set<ProcessName> = []
    private var swallowsUntil: ContinuousClock.Instant?
    /// When each disturbance happens next.
    private var due: [Disturbance: ContinuousClock.Instant] = [:]
    private var missing = Set(Disturbance.allCases)

    private enum Disturbance: CaseIterable {
        case kill, killAtCommit, stop, stopAtCommit, cut, swallow, restart

        /// The average seconds between two disturbances.
        var period: Double {
            switch self {
            case .kill: 2
            case .killAtCommit: 10
            case .stop: 7
            case .stopAtCommit: 14
            case .cut: 1.5
            case .swallow: 10
            case .restart: 20
            }
        }
    }

    /// - Parameter seconds: the time of the run. Each disturbance happens for the first time before it is over.
    init(_ run: StressRun, _ fleet: FleetOptions, _ bench: FleetBench, seconds: Double) {
        (self.run, self.fleet, self.bench) = (run, fleet, bench)
        for disturbance in Disturbance.allCases { plan(disturbance, after: min(disturbance.period, seconds / 2)) }
    }

    /// Whether each disturbance has happened.
    var isComplete: Bool { missing.isEmpty }

    /// Lets all replicas work for 0.1 s, with the disturbances that are due.
    func step() throws {
        try settleAccounts()
        if run.journal.progress.isOver {
            try calm()
            try run.crew.signInAgain()
        }
        for (disturbance, time) in due where time <= .now {
            try perform(disturbance)
            missing.remove(disturbance)
            plan(disturbance, after: disturbance.period)
        }
        run.crew.goAll()
        Thread.sleep(forTimeInterval: 0.1)
    }

    /// Ends all disturbances.
    func calm() throws {
        run.condemned.pardon()
        try settleAccounts()
        try resume(Set(stopped.keys))
        bench.proxy?.swallow(false)
        swallowsUntil = nil
        try run.crew.replaceDead(condemned: condemned)
    }

    // MARK: -

    /// - Parameter seconds: the time until the disturbance happens, on average.
    private func plan(_ disturbance: Disturbance, after seconds: Double) {
        due[disturbance] = .now + .seconds(seconds * Double.random(in: 0.5...1.5))
    }

    private func perform(_ disturbance: Disturbance) throws {
        let victim = run.crew.process(at: Int.random(in: 0..<run.options.workers))
        switch disturbance {
        case .kill: victim.kill()
        case .killAtCommit: run.condemned.condemn(victim)
        case .stop:
            victim.stop()
            try noteStop(of: victim.name)
        case .stopAtCommit: run.condemned.condemn(victim, stops: true)
        case .cut:
            let count = try bench.cutConnections()
            try run.journal.append(LogLine(.cut, detail: "\(count) ended by the server"))
        case .swallow:
            bench.proxy?.swallow(true)
            swallowsUntil = .now + .seconds(Double.random(in: 1...8))
            try run.journal.append(LogLine(.cut, detail: "half of them swallowed"))
        case .restart: try restart()
        }
    }

    private func noteStop(of name: ProcessName) throws {
        guard stopped[name] == nil else { return }
        stopped[name] = .now + .seconds(fleet.stop)
        try run.journal.append(LogLine(.stopped, process: name))
    }

    private func resume(_ names: Set<ProcessName>) throws {
        for name in names { stopped[name] = nil }
        try run.crew.resume(names)
    }

    /// Replaces the processes that have died, and ends the disturbances that have lasted long enough.
    private func settleAccounts() throws {
        for (name, isStopped) in run.condemned.takeStruck() {
            if isStopped { try noteStop(of: name) } else { condemned.insert(name) }
        }
        try run.crew.replaceDead(condemned: condemned)
        try resume(Set(stopped.filter { $0.value <= .now }.keys))
        if let end = swallowsUntil, end <= .now {
            bench.proxy?.swallow(false)
            swallowsUntil = nil
        }
    }

    private func restart() throws {
        guard let command = fleet.restart else { return }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SystemError("restart the database", code: ECHILD) }
        try run.journal.append(LogLine(.restarted))
    }
}
#endif
