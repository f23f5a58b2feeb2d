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
        while true {
            switch transition({ $0.request(at: $1, within: surrounding) }) {
            case .use(let held): return held
            case .fail(let error): throw error
            case .wait(let place): if let held = try await wait(at: place) { return held }
            }
        }
    }

    /// - Returns: `nil` if those who waited had been released before this task was suspended: it must ask again.
    private nonisolated func wait(at place: WaiterQueue<ProviderState<Token>.Waiter>.ID) async throws -> HeldToken<
        Token
    >? {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { waiter in
                let answer = state.withState { state -> Result<HeldToken<Token>?, any Error>? in
                    if Task.isCancelled {
                        _ = state.cancel(place)
                        return .failure(CancellationError())
                    }
                    return state.hold(waiter, at: place) ? nil : .success(nil)
                }
                if let answer { waiter.resume(with: answer) } else { onHold?() }
            }
        } onCancel: {
            state.withState { $0.cancel(place) }?.resume(throwing: CancellationError())
        }
    }

    private nonisolated func perform(_ action: State.Action) {
        switch action {
        case .resume(let waiters, let result):
            let answer = result.map { HeldToken<Token>?.some($0) }
            for waiter in waiters { waiter.resume(with: answer) }
        case .fly(let flight): launch(flight.id) { await self.run(flight) }
        case .cancel(let id): state.forgetTask(of: id)?.cancel()
        case .write: Task { await self.write() }
        case .unlock: Task { await self.giveUpKeptLock() }
        case .discard(let token): Task { await self.service.discard(token) }
        case .announce, .emit: break  // Delivered in the transition, to keep their order.
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
