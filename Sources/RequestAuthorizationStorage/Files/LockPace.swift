// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import RequestAuthorization

/// When what another process has locked is tried again.
enum LockPace {
    /// The first and the longest pause between two tries, in nanoseconds. Each is up to half shorter, at random.
    static let pauses = 1_000_000...UInt64(50_000_000)

    /// Runs a body after a pause that grows with the number of tries that have failed.
    ///
    /// - Parameter isNeeded: asked after the pause, before it is the body's turn.
    static func again(
        after failures: Int, on queue: DispatchQueue, if isNeeded: @escaping @Sendable () -> Bool,
        _ body: @escaping @Sendable () -> Void
    ) {
        let longest = min(pauses.lowerBound << UInt64(min(failures, 10)), pauses.upperBound)
        let pause = UInt64.random(in: longest / 2...longest)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) {
            guard isNeeded() else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            let turn = turns.withLock { $0.take(at: now) }
            if turn <= now { return body() }
            queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: turn), execute: body)
        }
    }

    /// Whether a try may be made now.
    static func isDue() -> Bool {
        let now = DispatchTime.now().uptimeNanoseconds
        return turns.withLock { $0.takes(at: now) }
    }

    /// The tries of the whole process.
    private static let turns = Lock(Turns())

    /// When tries are made whose pauses are over: at most 2000 in a second, in order.
    struct Turns {
        private static let spacing = UInt64(500_000)
        private var next = UInt64(0)

        /// - Parameter now: in nanoseconds, as the result.
        mutating func take(at now: UInt64) -> UInt64 {
            let turn = max(next, now)
            next = turn + Self.spacing
            return turn
        }

        /// - Returns: whether there was one now.
        mutating func takes(at now: UInt64) -> Bool {
            guard next <= now else { return false }
            _ = take(at: now)
            return true
        }
    }
}
