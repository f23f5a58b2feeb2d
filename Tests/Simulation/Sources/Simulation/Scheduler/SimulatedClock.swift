// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import RequestAuthorization

/// The clocks of a process.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedClock: AuthorizationClock, @unchecked Sendable {
    private let scheduler: Scheduler
    private let process: SimulatedProcess
    private var sleepers: [Int: UnsafeContinuation<Void, any Error>] = [:]
    private var count = 0

    init(_ scheduler: Scheduler, _ process: SimulatedProcess) {
        (self.scheduler, self.process) = (scheduler, process)
    }

    var now: Date { Date(timeIntervalSince1970: Scheduler.date(of: process.wall(at: scheduler.now))) }
    var uptime: Duration { .nanoseconds(process.uptime(at: scheduler.now)) }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        count += 1
        let number = count
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                sleepers[number] = continuation
                process.sleeping += 1
                scheduler.after(process.wait(for: SimulatedTime(duration)), in: process) { self.wake(number)?.resume() }
            }
        } onCancel: {
            wake(number)?.resume(throwing: CancellationError())
        }
    }

    private func wake(_ number: Int) -> UnsafeContinuation<Void, any Error>? {
        guard let sleeper = sleepers.removeValue(forKey: number) else { return nil }
        process.sleeping -= 1
        return sleeper
    }
}
