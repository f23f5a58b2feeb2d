// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// How requests wait, and how the actions of a transition are performed.
extension RefreshableTokenAuthorization {
    typealias State = RefreshState<Token, ProviderState<Token>.Waiter>

    /// Moves the state on, then performs what is to be done, with nothing locked.
    @discardableResult
    nonisolated func transition<Result>(_ body: (inout State, Moment) -> (Result, [State.Action])) -> Result {
        let now = clock.moment
        let (result, actions) = state.transition { body(&$0, now) }
        for action in actions { perform(action) }
        return result
    }

    nonisolated func heldToken() async throws -> HeldToken<Token> {
        let surrounding = FlightID.surrounding
        switch transition({ $0.request(at: $1, within: surrounding) }) {
        case .use(let held): return held
        case .fail(let error): throw error
        case .wait(let place): return try await wait(at: place)
        }
    }

    /// - Parameter isolation: the closures run there too, so that those who wait on one actor resume in order of arrival.
    private func wait(
        at place: WaiterQueue<ProviderState<Token>.Waiter>.ID, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HeldToken<Token> {
        try await withTaskCancellationHandler {
            _ = isolation
            return try await withUnsafeThrowingContinuation { waiter in
                if let answer = state.hold(waiter, at: place) { waiter.resume(with: answer) } else { onHold?() }
            }
        } onCancel: {
            state.withState { $0.cancel(place) }?.resume(throwing: CancellationError())
        }
    }

    private nonisolated func perform(_ action: State.Action) {
        switch action {
        case .resume(let waiters, let result):
            for waiter in waiters { waiter.resume(with: result) }
        case .fly(let flight): launch(flight.id) { await self.run(flight) }
        case .cancel(let id): state.forgetTask(of: id)?.cancel()
        case .write: Task { await self.write() }
        case .unlock: Task { await self.giveUpKeptLock() }
        case .discard(let token): Task { await self.service.discard(token) }
        case .announce, .emit, .keep: break  // Done in the transition, to keep their order.
        }
    }

    /// Runs a flight in a task of its own, whose priority does not depend on who began it.
    nonisolated func launch(_ id: FlightID, _ body: @escaping @Sendable () async -> Void) {
        let surrounding = FlightID.surrounding + [id]
        let task = Task(priority: .userInitiated) {
            await FlightID.$surrounding.withValue(surrounding) { await body() }
            state.forgetTask(of: id)
        }
        state.register(task, for: id)
    }
}
