// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a simulated process can do next.
enum Work {
    case job(UnsafeMutableRawPointer)
    case body(() -> Void)
    case queue(SimulatedQueue)
}

/// A process: the work that is ready, its clocks, and what a kill takes away.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedProcess: @unchecked Sendable {
    /// A new number for each start of a program.
    let number: Int
    /// The place among the processes of the run. `-1` for the world outside of the processes.
    let slot: Int
    var isAlive = true
    /// Until then it does not run (SIGSTOP).
    var stoppedUntil: SimulatedTime = 0
    var ready: [Work] = []
    var queues: [SimulatedQueue] = []
    /// The number of jobs and file calls that it has run.
    private(set) var steps = 0
    /// What happens after a number of steps.
    var alarms: [(step: Int, body: () -> Void)] = []
    /// The number of sleeping tasks.
    var sleeping = 0

    // MARK: Clocks

    /// How far its wall clock is off.
    var wallOffset: SimulatedTime = 0
    /// The time at which its wall clock stands still, and until when.
    var wallStop: (at: SimulatedTime, until: SimulatedTime)?
    /// How fast its uptime runs, in millionths.
    var uptimeRate: Int64 = 1_000_000

    init(number: Int, slot: Int) { (self.number, self.slot) = (number, slot) }

    func canRun(at now: SimulatedTime) -> Bool { !ready.isEmpty && stoppedUntil <= now }

    /// Counts a step, and rings the alarms.
    func countStep() {
        steps += 1
        while let index = alarms.firstIndex(where: { $0.step <= steps }) { alarms.remove(at: index).body() }
    }

    func wall(at now: SimulatedTime) -> SimulatedTime {
        if let wallStop, now < wallStop.until { return wallStop.at + wallOffset }
        return now + wallOffset
    }

    func uptime(at now: SimulatedTime) -> SimulatedTime { now / 1_000_000 * uptimeRate + now % 1_000_000 }

    /// How long the scheduler's clock runs while the uptime of this process runs for a time.
    func wait(for uptime: SimulatedTime) -> SimulatedTime { uptime / uptimeRate * 1_000_000 + 1_000_000 }
}
