// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import SimulationCheck

#if canImport(Glibc)
import Glibc
#endif

/// Runs of simulated processes. One call at a time.
public enum Simulation {
    public struct Result: Sendable {
        public let plan: Plan
        public let facts: [Fact]
        public let verdict: Verdict
        /// The number of jobs and calls that ran.
        public let steps: Int
        /// Equal for equal runs.
        public let digest: UInt64
    }

    /// Prepares the runtime of this process. Call it once, before any task is made.
    public static func prepare() {
        setenv("HOME", SimulatedDisk.home, 1)
        unsetenv("XDG_STATE_HOME")
        Scheduler.install()
    }

    /// - Parameter isTraced: whether the ledger has the calls of the store, too.
    public static func run(_ plan: Plan, isTraced: Bool = false) -> Result {
        Ledger.isTraced = isTraced
        let world = World(plan)
        let facts = world.run()
        let (steps, digest) = (world.scheduler.steps, world.scheduler.digest)
        return Result(
            plan: plan, facts: facts, verdict: Verdict.of(facts, plan.setting), steps: steps, digest: digest)
    }
}
