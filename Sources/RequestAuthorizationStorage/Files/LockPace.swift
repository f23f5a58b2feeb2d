// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// The times at which a lock of another process is tried again.
enum LockPace {
    /// The first and the longest pause between two tries, in nanoseconds. Each is shortened at random by up to half.
    static let pauses = 1_000_000...UInt64(50_000_000)

    /// Runs a body after a pause that grows with the number of failed tries.
    ///
    /// - Parameter isNeeded: called after the pause. If it returns `false`, the body does not run.
    static func again(
        after failures: Int, on queue: any FileQueue, if isNeeded: @escaping @Sendable () -> Bool,
        _ body: @escaping @Sendable () -> Void
    ) {
        let longest = min(pauses.lowerBound << UInt64(min(failures, 10)), pauses.upperBound)
        let pause = UInt64.random(in: longest / 2...longest)
        queue.begin(after: .nanoseconds(pause)) {
            guard isNeeded() else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            let turn = turns.withLock { $0.take(at: now) }
            if turn <= now { return body() }
            queue.begin(after: .nanoseconds(turn - now), body)
        }
    }

    /// Takes a turn if one is free now, and returns whether a try may be made.
    static func isDue() -> Bool { turns.withLock { $0.takes(at: DispatchTime.now().uptimeNanoseconds) } }

    /// Shared by the whole process.
    private static let turns = Lock(Turns())

    /// Limits tries to 2000 per second, in order.
    struct Turns {
        private static let spacing = UInt64(500_000)
        private var next = UInt64(0)

        /// - Parameter now: in nanoseconds.
        /// - Returns: the time of the turn, in nanoseconds.
        mutating func take(at now: UInt64) -> UInt64 {
            let turn = max(next, now)
            next = turn + Self.spacing
            return turn
        }

        /// - Returns: whether a turn was free now, and was taken.
        mutating func takes(at now: UInt64) -> Bool {
            guard next <= now else { return false }
            _ = take(at: now)
            return true
        }
    }
}
