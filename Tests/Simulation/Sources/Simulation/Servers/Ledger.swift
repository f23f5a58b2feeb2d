// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SimulationCheck

/// What the servers, the store and the run have seen.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class Ledger: @unchecked Sendable {
    private let scheduler: Scheduler
    private(set) var facts: [Fact] = []

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    private var lastRequest = 0

    /// A number that no other request of the run has.
    func nextRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }

    /// Whether calls of the store are noted, too.
    nonisolated(unsafe) static var isTraced = false

    func remark(_ process: SimulatedProcess, _ text: @autoclosure () -> String) {
        if Self.isTraced { note(.remark(process: process.number, text())) }
    }

    func note(_ event: Event) { facts.append(Fact(time: scheduler.now, event)) }
}
