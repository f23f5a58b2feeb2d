// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import SimulationCheck

/// Finds a smaller plan that breaks the same promise.
public enum Shrinking {
    /// Removes halves, quarters and so on of the steps, and then single ones, for as long as the promise is broken.
    public static func smallest(_ plan: Plan, still promise: Violation.Promise) -> Plan {
        var smallest = plan
        var length = max(plan.steps.count / 2, 1)
        while true {
            let before = smallest.steps.count
            var start = 0
            while start < smallest.steps.count {
                var candidate = smallest
                candidate.steps.removeSubrange(start..<min(start + length, candidate.steps.count))
                if breaks(candidate, promise) { smallest = candidate } else { start += length }
            }
            if length == 1, smallest.steps.count == before { return smallest }
            length = max(length / 2, 1)
        }
    }

    private static func breaks(_ plan: Plan, _ promise: Violation.Promise) -> Bool {
        Simulation.run(plan).verdict.violations.contains { $0.promise == promise }
    }
}
