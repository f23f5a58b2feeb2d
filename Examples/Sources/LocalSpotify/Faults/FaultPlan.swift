// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The faults that are yet to happen, first in, first out for each target.
struct FaultPlan: Sendable {
    private var waiting: [Fault.Target: [Fault]] = [:]

    mutating func add(_ fault: Fault, on target: Fault.Target, times: Int) {
        waiting[target, default: []] += Array(repeating: fault, count: times)
    }

    /// Takes the fault that befalls the next call.
    mutating func next(on target: Fault.Target) -> Fault? {
        guard waiting[target]?.isEmpty == false else { return nil }
        return waiting[target]?.removeFirst()
    }

    mutating func clear() { waiting = [:] }
}
