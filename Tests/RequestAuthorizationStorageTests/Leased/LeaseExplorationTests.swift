// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorizationStorage

/// Explores two hosts with all pauses and all orders of events: a lease of 3 s, a request of 1 s.
///
/// With `EXPLORATION=long`, as in `.ci/check-exploration`, it explores 9 s instead of 5.
struct LeaseExplorationTests {
    private static let isLong = ProcessInfo.processInfo.environment["EXPLORATION"] == "long"

    @Test(arguments: [false, true])
    func `nothing goes wrong in any order of events`(hasClock: Bool) throws {
        let ticks = Self.isLong ? hasClock ? 6 : 9 : hasClock ? 4 : 5
        let result = explore(LeaseSteps(ticks: ticks, hasClock: hasClock), refreshes: [1, 1])
        print("the lease\(hasClock ? ", with the database's clock" : ""): \(result.states) states")
        #expect(result.violation == nil, "\(result.trace)")
        #expect(result.states > 10_000)
        // Both hosts must have got through: refreshed, adopted, and saved without a lease.
        #expect(result.newest >= 2)
    }

    @Test(arguments: [
        (LeaseModel.Break.watchesFromTheAsk, LeaseModel.Violation.twoHaveAccess),
        (.countsFromTheAnswer, .twoHaveAccess),
        (.announcesWithoutLease, .intentIsStale),
        (.ignoresFailedIntents, .sentWithoutIntent),
        (.savesEqualOverEqual, .versionNamesTwo),
        (.savesWithoutCompare, .generationFell),
    ])
    func `each broken rule is found`(_ broken: LeaseModel.Break, _ violation: LeaseModel.Violation) {
        let refreshes = broken == .savesWithoutCompare ? [1, 2] : [1, 1]
        let result = explore(LeaseSteps(broken: broken, ticks: 5), refreshes: refreshes, until: violation)
        print("\(broken.rawValue): \(result.violation?.rawValue ?? "nothing") after \(result.states) states")
        #expect(result.violation == violation)
    }

    // MARK: -

    private struct Exploration {
        var states = 0
        var newest = 0
        var violation: LeaseModel.Violation?
        var trace = ""
    }

    /// - Parameter wanted: the violation that ends the search; any by default.
    private func explore(
        _ steps: LeaseSteps, refreshes: [Int], until wanted: LeaseModel.Violation? = nil
    ) -> Exploration {
        var result = Exploration()
        // The hash of a state stands for it: two of a million states share one with a probability of 3 in 100 million.
        var seen: Set<Int> = []
        var open = [LeaseModel(refreshes: refreshes)]
        while let state = open.popLast() {
            guard seen.insert(state.hashValue).inserted else { continue }
            result.newest = max(result.newest, Int(state.record.item?.first ?? 0))
            for next in steps.successors(of: state) {
                switch next {
                case .success(let next): open.append(next)
                case .failure(let violation) where wanted == nil || wanted == violation:
                    (result.violation, result.trace, result.states) = (violation, "\(state)", seen.count)
                    return result
                case .failure: break
                }
            }
        }
        result.states = seen.count
        return result
    }
}
