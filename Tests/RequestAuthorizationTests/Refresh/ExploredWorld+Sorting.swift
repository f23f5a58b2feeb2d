// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

@testable import RequestAuthorization

// The promises for each kind of failure.
extension ExploredWorld {
    mutating func checkSorting(_ event: Event, before: ExploredWorld) {
        if let held, before.held !== held, held.expiresAt < held.obtainedAt, before.isBrought(held) || isStep(event) {
            demand(!state.pace.backOff.isOpen(at: now), "a token that came expired is refreshed at once")
        }
        guard case .step(let index, let answer) = event else { return }
        let runner = before.runners[index]
        checkEnd(by: answer, to: runner, before: before)
        guard let flight = before.state.flight, flight.id == runner.id, flight.basis == before.state.heldVersion else {
            return
        }
        guard [.client, .interaction].contains(answer), !flight.isDraining else { return }
        let wait = state.pace.backOff.slot - now.uptime
        demand(
            wait >= state.policy.backOff.maximum || state.vault.news != nil,
            "a failure that needs an operator is tried again too soon")
    }

    private func isStep(_ event: Event) -> Bool { if case .step(_, .expired) = event { true } else { false } }

    /// Whether the service issued the token.
    private func isBrought(_ held: HeldToken) -> Bool { fresh.contains { $0 === held } }

    /// A session ends only by an explicit verdict of the server, or when the token has expired and there is no refresh
    /// token.
    private mutating func checkEnd(by answer: Answer, to runner: Runner, before: ExploredWorld) {
        guard isEnding, !before.isEnding else { return }
        switch (runner.step, answer) {
        case (.verify(let failure), _): checkVerdict(failure.kind, before: before)
        case (.refresh, .terminal): break
        case (.refresh, .noRefreshToken): checkVerdict(.noRefreshToken, before: before)
        default: demand(false, "a session ends without a verdict")
        }
    }

    /// Whether the server has ended the session.
    private var isEnding: Bool {
        if case .ended? = state.vault.news { return true }
        if case .ended(let ending) = state.holding { return ending.error.reason == .rejected }
        return false
    }

    private mutating func checkVerdict(_ kind: TokenFailureKind, before: ExploredWorld) {
        let isLive = before.state.isUsable(at: now) && before.state.trustEnd == nil
        demand(
            kind == .terminal || (kind == .noRefreshToken && !isLive), "a session ends without a verdict")
    }
}
