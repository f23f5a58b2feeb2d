// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import RequestAuthorization
package import RequestAuthorizationTesting

/// What goes wrong with a call to the outside.
package enum Mishap: CaseIterable, Sendable {
    /// The call is not made, and fails.
    case fails
    /// The call is made, and fails.
    case answerIsLost
    /// The call is not made, and does not return.
    case hangs
    /// The process dies before the call, as with SIGKILL.
    case dies
}

/// The calls of one process to the outside: files, a database, the Keychain, a server. One of them goes wrong.
///
/// A dead process does nothing more in its world: all its later calls fail without being made. What the process tells its
/// own caller then does not count.
package final class Fate: Sendable {
    /// The error of a call that goes wrong.
    package struct NoAnswer: Error {}

    private struct State {
        var calls: [String] = []
        var plan: (mishap: Mishap, number: Int)?
        var isDead = false
        var ends: [@Sendable () -> Void] = []
    }

    private enum Course { case goes, fails, losesAnswer, hangs }

    private let state = Lock(State())
    /// Whether a call hangs, or the process has died.
    package let end = OneShot<Void>()

    package init() {}

    /// The names of the calls, in order.
    package var calls: [String] { state.withLock(\.calls) }

    /// Whether the call with the number of the plan has been reached.
    package var isMet: Bool { state.withLock { state in state.plan.map { state.calls.count >= $0.number } ?? false } }

    /// Counts from here on, and lets the call with this number go wrong.
    package func begin(_ mishap: Mishap?, at number: Int) {
        state.withLock { $0.calls = [] }
        if let mishap { state.withLock { $0.plan = (mishap, number) } }
    }

    /// Ends the process. Calls that hang fail.
    package func die() {
        let ends = state.withLock { state in
            state.isDead = true
            defer { state.ends = [] }
            return state.ends
        }
        for end in ends { end() }
        end.fulfill()
    }

    /// Runs a function when the process dies; now if it is dead.
    package func atEnd(_ body: @escaping @Sendable () -> Void) {
        let isDead = state.withLock { state in
            if !state.isDead { state.ends.append(body) }
            return state.isDead
        }
        if isDead { body() }
    }

    /// Makes a call.
    package func call<Result>(_ name: String, _ body: () async throws -> Result) async throws -> Result {
        switch course(of: name) {
        case .goes: return try await body()
        case .fails: throw NoAnswer()
        case .losesAnswer:
            _ = try await body()
            throw NoAnswer()
        case .hangs:
            let end = OneShot<Void>()
            atEnd { end.fulfill() }
            self.end.fulfill()
            try await end.valueIgnoringCancellation()
            throw NoAnswer()
        }
    }

    /// Makes a call that blocks its thread.
    package func blockingCall<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        switch course(of: name) {
        case .goes: return try body()
        case .fails: throw NoAnswer()
        case .losesAnswer:
            _ = try body()
            throw NoAnswer()
        case .hangs:
            let end = DispatchSemaphore(value: 0)
            atEnd { end.signal() }
            self.end.fulfill()
            end.wait()
            throw NoAnswer()
        }
    }

    // MARK: -

    private func course(of name: String) -> Course {
        let (course, dies) = state.withLock { state -> (Course, Bool) in
            if state.isDead { return (.fails, false) }
            state.calls.append(name)
            guard let (mishap, number) = state.plan, state.calls.count == number else { return (.goes, false) }
            return switch mishap {
            case .fails: (.fails, false)
            case .answerIsLost: (.losesAnswer, false)
            case .hangs: (.hangs, false)
            case .dies: (.fails, true)
            }
        }
        if dies { die() }
        return course
    }
}
