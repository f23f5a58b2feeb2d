// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A piece of work that is timed: does what it is about so many times.
package struct Contender: Sendable {
    package let work: @Sendable (_ times: Int) async throws -> Void

    package init(_ work: @escaping @Sendable (_ times: Int) async throws -> Void) { self.work = work }
}

/// Times contenders in turn, so that a machine that is busy for a while is busy for all of them.
///
/// - Returns: for each the nanoseconds per time of its best round.
package func race(_ contenders: [Contender], times: Int, rounds: Int) async throws -> [Double] {
    var best = [Double](repeating: .infinity, count: contenders.count)
    for contender in contenders { try await contender.work(max(1, times / 10)) }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            let duration = try await ContinuousClock().measure { try await contender.work(times) }
            best[index] = min(best[index], duration.nanoseconds / Double(times))
        }
    }
    return best
}

/// How much time of any core something takes: unlike the time on the wall it does not depend on what else the machine does.
package func processorTime(_ body: () async throws -> Void) async rethrows -> Duration {
    let before = processorTime()
    try await body()
    return processorTime() - before
}

/// The time that all threads of this process have had.
package func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
}
