// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import Simulation
import SimulationCheck

/// The result of many seeds.
struct Report: Encodable {
    struct Finding: Encodable {
        let seed: UInt64
        let promise: String
        let detail: String
    }

    var seeds = 0
    var files = 0
    var leased = 0
    /// The refreshes that the server has committed.
    var expiries = 0
    var requests = 0
    /// Token calls that were sent again after a lost answer or the fault of a process.
    var explainedCalls = 0
    /// Sessions that ended because the only copy of a token was lost.
    var explainedLosses = 0
    var kills = 0
    /// Jobs and file calls.
    var steps = 0
    var simulatedSeconds = 0
    var seconds = 0.0
    var violations: [Finding] = []
    /// The seeds that did not run the same way twice.
    var differing: [UInt64] = []

    mutating func add(_ result: Simulation.Result) {
        let verdict = result.verdict
        seeds += 1
        if result.plan.setting.store == .files { files += 1 } else { leased += 1 }
        expiries += verdict.expiries
        requests += verdict.requests
        explainedCalls += verdict.explainedCalls
        explainedLosses += verdict.explainedLosses
        kills += result.facts.count { if case .killed = $0.event { true } else { false } }
        steps += result.steps
        simulatedSeconds += Int((result.facts.last?.time ?? 0) / 1_000_000_000)
        // One promise of a seed is enough to find it again.
        guard let first = verdict.violations.first else { return }
        violations.append(
            Finding(seed: result.plan.seed, promise: first.promise.rawValue, detail: first.detail))
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
