// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
@_spi(FileLayer) import RequestAuthorizationStorage
import SimulationCheck

/// The time that a system allows a process for exclusive access, as iOS does. Sometimes it ends early.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SimulatedActivity: @unchecked Sendable {
    private let scheduler: Scheduler
    private let ledger: Ledger
    private let process: SimulatedProcess
    private var generator: Generator
    private var count = 0
    private var open: Set<Int> = []
    /// Whether the faults have ended.
    var isCalm = false

    init(_ scheduler: Scheduler, _ ledger: Ledger, _ process: SimulatedProcess, seed: UInt64) {
        (self.scheduler, self.ledger, self.process) = (scheduler, ledger, process)
        generator = Generator(seed: seed, stream: 10_000 + UInt64(process.number))
    }

    var activity: ExclusiveActivity { ExclusiveActivity { try self.begin($0) } }

    private func begin(_ expire: @escaping @Sendable () -> Void) throws -> @Sendable () -> Void {
        if !isCalm, generator.chance(5) { throw TokenStoreError(.unavailable, "the system gives no time") }
        count += 1
        let number = count
        open.insert(number)
        let isEarly = !isCalm && generator.chance(15)
        scheduler.after(isEarly ? generator.time(0...(.milliseconds(300))) : .seconds(60), in: process) { [self] in
            guard open.remove(number) != nil else { return }
            ledger.note(.accessEnded(process: process.number))
            expire()
        }
        return { [self] in open.remove(number) }
    }
}
