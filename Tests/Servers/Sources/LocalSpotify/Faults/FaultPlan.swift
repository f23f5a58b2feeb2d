// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The faults that are still to be injected, first in, first out for each target.
struct FaultPlan: Sendable {
    private var waiting: [Fault.Target: [Fault]] = [:]

    mutating func add(_ fault: Fault, on target: Fault.Target, times: Int) {
        waiting[target, default: []] += Array(repeating: fault, count: times)
    }

    /// Removes and returns the fault for the next call.
    mutating func next(on target: Fault.Target) -> Fault? {
        guard waiting[target]?.isEmpty == false else { return nil }
        return waiting[target]?.removeFirst()
    }

    mutating func clear() { waiting = [:] }
}
