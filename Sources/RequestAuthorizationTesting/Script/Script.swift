// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The steps of a scripted double, and the record of its calls.
final class Script<Input: Sendable, Output: Sendable>: Sendable {
    typealias Call = ScriptedCall<Input, Output>
    typealias Step = ScriptStep<Input, Output>

    private struct State: Sendable {
        var steps: [Step]
        var calls: [Call] = []
        /// Held calls that ``Script/nextCall()`` has not returned yet, and the waiters for the next one.
        var held: [Call] = []
        var waiting: [OneShot<Call>] = []
        var watchers: [(count: Int, signal: OneShot<Void>)] = []
    }

    private let owner: String
    private let clock: any AuthorizationClock
    private let forever: Step?
    private let state: Lock<State>

    init(owner: String, clock: any AuthorizationClock, steps: [Step], forever: Step?) {
        (self.owner, self.clock, self.forever) = (owner, clock, forever)
        state = Lock(State(steps: steps.reversed()))
    }

    var calls: [Call] { state.withLock(\.calls) }

    func append(_ steps: [Step]) { state.withLock { $0.steps.insert(contentsOf: steps.reversed(), at: 0) } }

    func call(_ input: Input) async throws -> Output {
        let now = clock.now
        let (call, next, signals) = state.withLock { state in
            let call = Call(input: input, number: state.calls.count + 1, startedAt: now)
            state.calls.append(call)
            let reached = state.watchers.filter { $0.count <= state.calls.count }.map(\.signal)
            state.watchers.removeAll { $0.count <= state.calls.count }
            return (call, state.steps.popLast() ?? forever, reached)
        }
        signals.forEach { $0.fulfill() }
        let step = next ?? .failure(ScriptRanOut(owner: owner, call: call.number))
        if case .held = step.action {
            // The first waiter gets it, or the next one to come.
            let waiter = state.withLock { state -> OneShot<Call>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.held.append(call)
                return nil
            }
            waiter?.fulfill(with: .success(call))
        }
        return try await call.perform(step.action)
    }

    func nextCall() async throws -> Call {
        let signal = OneShot<Call>()
        state.withLock { state in
            guard !state.held.isEmpty else { return state.waiting.append(signal) }
            signal.fulfill(with: .success(state.held.removeFirst()))
        }
        do {
            return try await signal.value()
        } catch {
            let isWithdrawn = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0 === signal }) else { return false }
                state.waiting.remove(at: index)
                return true
            }
            if isWithdrawn { throw error }
            // A call that it has received meanwhile must not be lost.
            return try await signal.valueIgnoringCancellation()
        }
    }

    func calls(atLeast count: Int) async {
        let signal = OneShot<Void>()
        state.withLock { state in
            if state.calls.count < count { state.watchers.append((count, signal)) } else { signal.fulfill() }
        }
        try? await signal.value()
    }
}

/// A scripted double was called more often than its script has steps.
///
/// The test made more calls than intended, or the script lacks a step.
package struct ScriptRanOut: Error, Hashable, CustomStringConvertible {
    /// The name of the double, for instance `ScriptedTokenService`.
    package let owner: String
    /// The number of the call without a step; the first call is number 1.
    package let call: Int

    package init(owner: String, call: Int) { (self.owner, self.call) = (owner, call) }

    package var description: String {
        "the script of \(owner) has \(call - 1) steps and none for call \(call): add a step, or check why it was called"
    }
}
