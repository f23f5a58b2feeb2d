// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import RequestAuthorization

// Texts for people who read how a promise was broken.
extension ExploredWorld {
    func description(of event: Event) -> String {
        switch event {
        case .step(let index, let answer):
            "flight \(name(of: runners[index].id)): \(runners[index].step.map { name(of: $0) } ?? "") → \(name(of: answer))"
        case .land(let index, let answer):
            "flight \(name(of: runners[index].id)): \(runners[index].step.map { name(of: $0) } ?? "") lands: \(name(of: answer))"
        case .manual(let index, let answer): "manual refresh \(name(of: hands[index].id)) → \(name(of: answer))"
        case .cancelManual(let index): "manual refresh \(name(of: hands[index].id)): cancelled"
        case .endWrite(let answer): "write → \(name(of: answer))"
        case .landWrite(let answer): "write lands: \(name(of: answer))"
        case .noticed(let act): (act.map { "a sibling has \($0), and that" } ?? "what is stored") + " is noticed"
        case .pass(let threshold): "time passes until \(threshold)"
        case .due(let threshold): "time passes until \(threshold), and the timer fires"
        case .cancel(let index): "request \(callers[index].number) is cancelled"
        default: "\(event)"
        }
    }

    var summary: String {
        var parts = [name(of: state.holding)]
        if let flight = state.flight { parts.append("flight \(name(of: flight))") }
        for runner in runners where isForgotten(runner) { parts.append("forgotten \(name(of: runner.id))") }
        if let signIn = state.signIn {
            parts.append("manual \(name(of: signIn.id))\(signIn.isHolding ? " holding" : "")")
        }
        if !callers.isEmpty { parts.append(callers.map { "\($0.number) \($0.kind)" }.joined(separator: ", ")) }
        if let news = state.vault.news { parts.append("pending \(name(of: news))") }
        if let desired = state.vault.unsaved {
            parts.append(
                "desired \(name(of: desired.content))\(desired.failure == nil ? "" : " failed")"
                    + (writing == nil ? "" : " being written") + (isWriteDue ? " due" : ""))
        }
        if state.vault.kind != .none { parts.append("store \(name(of: stored))\(intent == nil ? "" : " with intent")") }
        if let access = state.vault.access {
            parts.append("lock of \(name(of: access.owner)) used by \(name(of: access.user))")
        }
        if state.pace.failure != nil {
            parts.append("failed, slot \(state.pace.backOff.isOpen(at: now) ? "open" : "closed")")
        }
        if state.isShutDown { parts.append("shut down\(state.vault.isClosed ? ", closed" : "")") }
        return parts.joined(separator: " | ")
    }

    private func name(of id: RefreshID) -> Int { id.hashValue & 0xfff }

    private func name(of answer: Answer) -> String {
        if case .after(let act) = answer { "ok, after a sibling has \(act)" } else { "\(answer)" }
    }

    private func name(of flight: Flight) -> String {
        "\(name(of: flight.id))\(flight.isDraining ? " draining" : "") at \(name(of: flight.step))"
    }

    private func name(of credential: State.Holding) -> String {
        switch credential {
        case .unknown: "unknown"
        case .absent: "absent"
        case .ended: "ended"
        case .held(let held, _):
            "held token \(held.number)\(state.isRefused ? " refused" : state.isUsable(at: now) ? "" : " expired")"
        }
    }

    private func name(of news: News) -> String {
        switch news {
        case .refreshed(let held): "token \(held.number)"
        case .signedIn(let held, _): "sign-in \(held.number)"
        case .ended: "end"
        }
    }

    private func name(of content: Vault.Content) -> String {
        switch content {
        case .nothing: "nothing"
        case .token(let held, let condition): "token \(held.number) replacing \(name(of: condition))"
        case .tombstone(_, _, let condition): "tombstone replacing \(name(of: condition))"
        }
    }

    private func name(of condition: TokenSaveCondition) -> String {
        switch condition {
        case .anything: "anything"
        case .nothing: "nothing"
        case .session: "its session"
        case .older: "older"
        }
    }

    private func name(of item: StoredItem?) -> String {
        guard let item else { return absence == .gone ? "empty" : "lost" }
        return item.token.map { "token \($0.number)" } ?? "signed out"
    }

    private func name(of step: Exchange.Step) -> String {
        switch step {
        case .load: "load"
        case .lock: "lock"
        case .reread: "reread"
        case .intent: "intent"
        case .refresh(let held): "refresh token \(held.number)"
        case .initial: "initial token"
        case .verify: "verify"
        }
    }
}
