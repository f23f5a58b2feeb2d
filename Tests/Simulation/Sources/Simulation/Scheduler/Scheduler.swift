// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import CSimulation

/// Runs all jobs of all processes one after the other, in an order that follows from a seed.
///
/// A job belongs to the process that was running when it was enqueued. If nothing is ready, time advances to the next
/// event.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class Scheduler: @unchecked Sendable {
    private struct Event: Comparable {
        let time: SimulatedTime
        let number: Int
        let process: SimulatedProcess
        let work: Work

        static func < (left: Event, right: Event) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Event, right: Event) -> Bool { left.number == right.number }
    }

    /// The scheduler of the present run.
    nonisolated(unsafe) static var present: Scheduler?

    private(set) var now: SimulatedTime = 0
    private(set) var current: SimulatedProcess
    /// The servers, the network and the plan.
    let world = SimulatedProcess(number: 0, slot: -1)
    private var processes: [SimulatedProcess] = []
    private var events = Heap<Event>()
    private var count = 0
    private var generator: Generator
    private(set) var steps = 0
    /// A digest of all decisions, to compare runs.
    private(set) var digest: UInt64 = 0

    /// The wall clock at the beginning of each run.
    private static let epoch: SimulatedTime = 1_800_000_000 * 1_000_000_000
    /// The monotonic clock goes on from run to run: the library paces its tries with it in a static value.
    nonisolated(unsafe) private static var monotonicBase: SimulatedTime = 0

    init(seed: UInt64) {
        generator = Generator(seed: seed, stream: 1)
        current = world
        processes = [world]
        simulation_set_random(seed)
        setClocks()
    }

    /// Lets the runtime pass all jobs to the present scheduler.
    static func install() {
        let isInstalled = simulation_install(
            { job in if let job { Scheduler.present?.enqueue(.job(job)) } },
            { time, job in if let job { Scheduler.present?.at(time, .job(job)) } },
            { time, function, context in Scheduler.present?.at(time, .body { function?(context) }) })
        precondition(isInstalled, "this runtime lacks a hook")
    }

    func add(_ process: SimulatedProcess) { processes.append(process) }

    func finish() {
        Self.monotonicBase += now + 1_000_000_000
        processes = [world]
    }

    // MARK: Adding work

    /// Adds work for the process that runs now.
    func enqueue(_ work: Work) { if current.isAlive { current.ready.append(work) } }

    /// Adds work for the process that runs now, at a later time.
    private func at(_ time: SimulatedTime, _ work: Work) { at(time, in: current, work) }

    func at(_ time: SimulatedTime, in process: SimulatedProcess, _ work: Work) {
        guard process.isAlive else { return }
        count += 1
        events.insert(Event(time: max(time, now), number: count, process: process, work: work))
    }

    func after(_ pause: SimulatedTime, in process: SimulatedProcess, _ body: @escaping () -> Void) {
        at(now + max(pause, 0), in: process, .body(body))
    }

    /// Runs a body as a process, at once.
    func asProcess(_ process: SimulatedProcess, _ body: () -> Void) {
        let former = current
        current = process
        setClocks()
        body()
        current = former
        setClocks()
    }

    /// Ends a process without any notice to it. What it held in memory stays there.
    func kill(_ process: SimulatedProcess) {
        process.isAlive = false
        processes.removeAll { $0 === process }
        // The bodies of its queues end: all their calls fail. The one that runs now ends by itself.
        asProcess(process) {
            for queue in process.queues where queue !== SimulatedQueue.running { queue.finish() }
        }
        (process.ready, process.queues, process.alarms) = ([], [], [])
    }

    // MARK: Running

    /// Runs everything until a time.
    func run(until end: SimulatedTime) {
        while true {
            collect()
            guard let process = choose() else {
                guard let next = nextTime, next <= end else { break }
                now = max(now, next)
                continue
            }
            step(process)
            if now >= end { break }
        }
        now = max(now, end)
    }

    /// When something can be done next: an event, or the work of a process that was stopped in the middle of it.
    private var nextTime: SimulatedTime? {
        let continuations = processes.lazy.filter { $0.isAlive && !$0.ready.isEmpty }.map(\.stoppedUntil)
        return [events.first?.time, continuations.min()].compactMap(\.self).min()
    }

    /// Chooses one of the processes that can run.
    private func choose() -> SimulatedProcess? {
        let count = processes.count { $0.canRun(at: now) }
        guard count > 0 else { return nil }
        var index = generator.below(count)
        for process in processes where process.canRun(at: now) {
            if index == 0 { return process }
            index -= 1
        }
        return nil
    }

    /// Makes the work ready whose time has come.
    private func collect() {
        while let first = events.first, first.time <= now {
            events.removeFirst()
            let process = first.process
            guard process.isAlive else { continue }
            if process.stoppedUntil > now {
                at(process.stoppedUntil, in: process, first.work)
            } else {
                process.ready.append(first.work)
            }
        }
    }

    private func step(_ process: SimulatedProcess) {
        // Mostly in order, as the runtime does, and sometimes not, as its threads do.
        process.countStep()
        guard process.isAlive, process.stoppedUntil <= now else { return }
        let index = generator.chance(80) ? 0 : generator.below(process.ready.count)
        let work = process.ready.remove(at: index)
        steps += 1
        digest = (digest ^ UInt64(bitPattern: Int64(process.number) << 40 ^ now)) &* 0x0000_0100_0000_01B3
        asProcess(process) {
            switch work {
            case .job(let job): simulation_run(job)
            case .body(let body): body()
            case .queue(let queue): queue.advance()
            }
        }
        now += generator.time(1_000...20_000)
    }

    func chance(_ percent: Int) -> Bool { generator.chance(percent) }

    private func setClocks() {
        simulation_set_clocks(
            Self.epoch + current.wall(at: now), Self.monotonicBase + now, current.uptime(at: now))
    }

    /// The number of events that a process waits for.
    func pending(of process: SimulatedProcess) -> Int { events.elements.count { $0.process === process } }

    static func date(of wall: SimulatedTime) -> Double { Double(epoch + wall) / 1e9 }
}

/// A binary heap.
struct Heap<Element: Comparable> {
    private(set) var elements: [Element] = []

    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            if least == index { return }
            elements.swapAt(index, least)
            index = least
        }
    }
}
