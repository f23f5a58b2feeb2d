// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The work of flights and manual refreshes. What to do next is the state's decision.
extension RefreshableTokenAuthorization {
    nonisolated func run(_ flight: State.Flight) async {
        let id = flight.id
        let timer = Task {
            try await clock.sleep(for: policy.deadline)
            transition { ((), $0.deadlinePassed(id, at: $1, random: random())) }
            try await clock.sleep(for: policy.deadline)
            transition { ((), $0.hardLimitPassed(id, at: $1)) }
            await giveUpLock(of: id)
        }
        var step: State.Step? = flight.step
        while let current = step {
            let outcome = await take(current, of: id)
            step = transition { $0.advance(id, outcome, at: $1, random: random()) }
        }
        timer.cancel()
        await giveUpLock(of: id)
    }

    private nonisolated func take(_ step: State.Step, of id: FlightID) async -> State.Outcome {
        do {
            switch step {
            case .load, .reread, .verify: return try await load()
            case .lock:
                try await lock(for: id)
                return .done
            case .intent(let intent): return try await leave(intent)
            case .clearIntent: return try await leave(nil)
            case .refresh(let token):
                let requestedAt = clock.now
                return .token(try await service.refresh(token), requestedAt: requestedAt)
            case .initial:
                let requestedAt = clock.now
                return .token(try await service.initialToken(), requestedAt: requestedAt)
            case .save(let held, let condition):
                return .saved(try await save(held.stored, replacing: condition, of: id))
            }
        } catch {
            return .failed(RefreshFailure(error))
        }
    }

    // MARK: - By hand

    /// - Returns: why the manual refresh does not begin.
    nonisolated func begin(
        _ id: FlightID, waiter: ProviderState<Token>.Waiter?, _ body: @escaping @Sendable () async throws -> Token
    ) -> (any Error)? {
        let now = clock.moment
        let refusal = state.withState {
            Task.isCancelled && waiter != nil ? CancellationError() : $0.beginManual(id, waiter: waiter, at: now)
        }
        if refusal == nil { launch(id) { await self.runManual(id, body) } }
        return refusal
    }

    private nonisolated func runManual(_ id: FlightID, _ body: @Sendable () async throws -> Token) async {
        let timer = Task {
            try await clock.sleep(for: policy.deadline)
            transition { ((), $0.manualDeadlinePassed(id, at: $1)) }
        }
        defer { timer.cancel() }
        let requestedAt = clock.now
        do {
            let token = try await body()
            let stored = transition {
                $0.manualSucceeded(
                    id, token, requestedAt: requestedAt, newSession: UUID(), at: $1, random: random())
            }
            guard let stored else { return }
            do {
                _ = try await save(stored, replacing: .anything, of: id)
                transition { ((), $0.manualSaved(id, error: nil, at: $1, random: random())) }
            } catch {
                transition { ((), $0.manualSaved(id, error: error, at: $1, random: random())) }
            }
        } catch {
            transition { ((), $0.manualFailed(id, error, at: $1)) }
        }
    }
}
