// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

// Runs in which processes are killed.
extension StressRun {
    /// Kills at each point. In turn, all workers wait for a new token, or only the victim needs one.
    func kill(at points: [KillPoint], times: Int, _ progress: (String) -> Void) throws {
        for point in points {
            for time in 0..<times {
                let victim = crew.process(at: Int.random(in: 0..<options.workers))
                if time.isMultiple(of: 2) {
                    try killWhileAllWait(victim, at: point)
                } else {
                    try killAheadOfExpiry(victim, at: point)
                }
                progress("\(point) \(time + 1)/\(times)")
            }
        }
    }

    /// The token has expired. The victim asks first for another one; the others ask when it has exclusive access.
    ///
    /// The victim may get exclusive access only after another worker has refreshed, or still have it from its last
    /// refresh. Then it lives until the next expiry.
    private func killWhileAllWait(_ victim: WorkerProcess, at point: KillPoint) throws {
        sentence(victim, to: point)
        for _ in 0..<100 {
            let (place, names) = (try expireTokens(), crew.names)
            victim.send("go")
            try victim.hasLockOrIsDead(patience: 30) { journal.progress.hasPassed(place, [victim.name]) }
            crew.goAll(except: victim.name)
            let isDead = try crew.replace(victim, killedAt: point) { journal.progress.hasPassed(place, names) }
            try waitUntilAllHavePassed(place)
            if isDead { return }
        }
        throw NeverDied(name: victim.name, point: point)
    }

    /// The server refuses the victim's valid token. No other worker has a reason to refresh before the grace is over.
    /// Only the victim's successor can see that the answer was lost.
    private func killAheadOfExpiry(_ victim: WorkerProcess, at point: KillPoint) throws {
        let family = journal.progress.newest.family
        sentence(victim, to: point)
        for _ in 0..<100 {
            let newest = journal.progress.newest
            server.refuseNextUse(by: victim.name.worker)
            victim.send("go")
            // If it still has exclusive access from its last refresh, it passes no lock.
            let isDead = try crew.replace(victim, killedAt: point) {
                point == .lock && journal.progress.hasPassed(newest, [victim.name])
            }
            if isDead { break }
        }
        let successor = crew.process(at: victim.name.worker).name
        try waitUntil("worker \(successor) uses a token") { $0.hasPassed(nil, [successor]) }
        if journal.progress.newest.family > family { return }  // A worker had to sign in again.
        let place = try expireTokens()
        crew.goAll()
        try waitUntilAllHavePassed(place)
    }

    private func sentence(_ victim: WorkerProcess, to point: KillPoint) {
        if point == .afterCommit { condemned.condemn(victim) }
        victim.send("die \(point.rawValue)")
    }

    /// Kills a process every 0.05 s while tokens expire as fast as all workers can follow.
    func killAtRandom(for seconds: Double, _ progress: (String) -> Void) throws {
        let killer = Killer(crew: crew, until: .now + .seconds(seconds))
        killer.start()
        defer { killer.stop() }
        var count = 0
        while !killer.hasEnded {
            // Now and then the server refuses a valid token, so that a worker refreshes ahead of expiry.
            if count.isMultiple(of: 4) { server.refuseNextUse(by: Int.random(in: 0..<options.workers)) }
            let place = try expireTokens()
            crew.goAll()
            try waitUntil("all workers use a token newer than \(place)") {
                $0.hasPassed(place, workers: options.workers)
            }
            count += 1
            progress("\(count) expiries")
        }
        try killer.join()
    }
}

/// A worker did not reach the point at which it was to die.
private struct NeverDied: Error, CustomStringConvertible {
    let name: ProcessName
    let point: KillPoint
    var description: String { "worker \(name) did not die at \(point) in 100 refreshes" }
}

/// A thread that kills processes.
private final class Killer: Sendable {
    private let crew: Crew
    private let end: ContinuousClock.Instant
    private let state = Mutex(State())
    private let condition = NSCondition()

    private struct State {
        var isStopped = false
        var hasEnded = false
        var failure: (any Error)?
    }

    init(crew: Crew, until end: ContinuousClock.Instant) {
        self.crew = crew
        self.end = end
    }

    var hasEnded: Bool { state.withLock(\.hasEnded) }

    func start() {
        Thread {
            do {
                var next = ContinuousClock.now
                while ContinuousClock.now < self.end, !self.state.withLock(\.isStopped) {
                    try self.crew.killRandomWorker()
                    next += .milliseconds(50)
                    Thread.sleep(forTimeInterval: max(0, (next - .now) / .seconds(1)))
                }
            } catch {
                self.state.withLock { $0.failure = error }
            }
            self.condition.lock()
            self.state.withLock { $0.hasEnded = true }
            self.condition.broadcast()
            self.condition.unlock()
        }.start()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        try? join()
    }

    /// Blocks until the thread has ended.
    func join() throws {
        condition.lock()
        while !hasEnded { condition.wait() }
        condition.unlock()
        if let failure = state.withLock(\.failure) { throw failure }
    }
}
