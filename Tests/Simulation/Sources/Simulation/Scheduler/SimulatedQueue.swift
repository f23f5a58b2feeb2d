// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import CSimulation
@_spi(FileLayer) @_spi(FileQueue) import RequestAuthorizationStorage

/// A queue for file calls. Some bodies run on a fiber and pause between their calls, while other processes go on.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedQueue: FileQueue, @unchecked Sendable {
    private let scheduler: Scheduler
    private let process: SimulatedProcess
    private var pending: [() -> Void] = []
    /// The fiber of a body that has not ended.
    private var fiber: OpaquePointer?
    private var isScheduled = false
    /// How long the next pause of the body that runs lasts.
    private var pause: SimulatedTime = 0

    /// The queue whose body runs now.
    nonisolated(unsafe) private(set) static var running: SimulatedQueue?
    /// Fibers without a body.
    nonisolated(unsafe) private static var idle: [OpaquePointer] = []

    init(_ scheduler: Scheduler, _ process: SimulatedProcess) {
        (self.scheduler, self.process) = (scheduler, process)
        process.queues.append(self)
    }

    func begin(_ body: @escaping @Sendable () -> Void) {
        guard process.isAlive else { return }
        pending.append(body)
        schedule(after: 0)
    }

    func begin(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        scheduler.after(SimulatedTime(pause), in: process) { self.begin(body) }
    }

    /// Starts the next body or continues the paused one.
    func advance() {
        isScheduled = false
        Self.running = self
        defer { Self.running = nil }
        let hasEnded: Bool
        if let fiber {
            hasEnded = simulation_fiber_continue(fiber)
        } else {
            guard !pending.isEmpty else { return }
            let body = pending.removeFirst()
            // A fiber costs two switches of threads, so most bodies run without.
            if scheduler.chance(60) {
                body()
                hasEnded = true
            } else {
                hasEnded = start(body)
            }
        }
        if hasEnded {
            if let fiber { Self.idle.append(fiber) }
            fiber = nil
        }
        if !process.isAlive { return finish() }
        if fiber != nil { schedule(after: pause) } else if !pending.isEmpty { schedule(after: 0) }
    }

    /// Pauses the body that runs on a fiber.
    func wait(_ pause: SimulatedTime) {
        self.pause = pause
        simulation_fiber_pause()
    }

    /// After a kill: drops what is pending, and lets the body end. All its calls fail.
    func finish() {
        pending = []
        while let fiber {
            guard simulation_fiber_continue(fiber) else { continue }
            Self.idle.append(fiber)
            self.fiber = nil
        }
    }

    // MARK: -

    private func start(_ body: @escaping () -> Void) -> Bool {
        let fiber = Self.idle.popLast() ?? simulation_fiber_make()
        self.fiber = fiber
        return simulation_fiber_start(
            fiber,
            { argument in
                guard let argument else { return }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            }, Unmanaged.passRetained(Body(body)).toOpaque())
    }

    private func schedule(after pause: SimulatedTime) {
        guard !isScheduled, process.isAlive else { return }
        isScheduled = true
        scheduler.at(scheduler.now + pause, in: process, .queue(self))
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }
}
