// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import RequestAuthorization

// Texts for people who read how a promise was broken.
extension ExploredWorld {
    func description(of event: Event) -> String {
        switch event {
        case .step(let index, let answer):
            "flight \(runners[index].id.number): \(name(of: runners[index].step)) → \(name(of: answer))"
        case .land(let index, let answer):
            "flight \(runners[index].id.number): \(name(of: runners[index].step)) lands: \(name(of: answer))"
        case .manual(let index, let answer): "manual refresh \(hands[index].id.number) → \(name(of: answer))"
        case .cancelManual(let index): "manual refresh \(hands[index].id.number): cancelled"
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
        var parts = [name(of: state.credential)]
        if let flight = state.flight { parts.append("flight \(name(of: flight))") }
        if let stray = state.stray { parts.append("stray \(name(of: stray))") }
        for manual in state.manuals { parts.append("manual \(manual.id.number)\(manual.isHolding ? " holding" : "")") }
        if !callers.isEmpty { parts.append(callers.map { "\($0.number) \($0.kind)" }.joined(separator: ", ")) }
        if let pending = state.pending { parts.append("pending \(name(of: pending.news))") }
        if let desired = state.desired {
            parts.append(
                "desired \(name(of: desired.content))\(desired.error == nil ? "" : " failed")"
                    + (writing == nil ? "" : " being written") + (isWriteDue ? " due" : ""))
        }
        if state.storage != .none { parts.append("store \(name(of: stored))\(intent == nil ? "" : " with intent")") }
        if let access = state.access {
            parts.append("lock of \(access.owner.number) used by \(access.user.number)")
        }
        if state.failure != nil { parts.append("failed, slot \(state.backOff.isOpen(at: now) ? "open" : "closed")") }
        if state.isShutDown { parts.append("shut down\(state.isClosed ? ", closed" : "")") }
        if !settlers.isEmpty { parts.append("\(settlers.count) settling") }
        return parts.joined(separator: " | ")
    }

    private func name(of answer: Answer) -> String {
        if case .after(let act) = answer { "ok, after a sibling has \(act)" } else { "\(answer)" }
    }

    private func name(of flight: State.Flight) -> String {
        "\(flight.id.number)\(flight.isDraining ? " draining" : "") at \(name(of: flight.step))"
    }

    private func name(of credential: State.Credential) -> String {
        switch credential {
        case .unknown: "unknown"
        case .absent: "absent"
        case .ended: "ended"
        case .held(let held):
            "held token \(held.number)\(state.isRefused ? " refused" : state.isUsable(at: now) ? "" : " expired")"
        }
    }

    private func name(of news: State.Pending.News) -> String {
        switch news {
        case .refreshed(let held): "token \(held.number)"
        case .signedIn(let held, _): "sign-in \(held.number)"
        case .ended: "end"
        }
    }

    private func name(of content: State.Desired.Content) -> String {
        switch content {
        case .clear: "nothing"
        case .save(let held, let condition): "token \(held.number) replacing \(name(of: condition))"
        case .signOut(_, _, let condition): "tombstone replacing \(name(of: condition))"
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

    private func name(of step: State.Step) -> String {
        switch step {
        case .load: "load"
        case .lock: "lock"
        case .reread: "reread"
        case .intent: "intent"
        case .refresh(let held): "refresh token \(held.number)"
        case .initial: "initial token"
        case .verify: "verify"
        case .save: "save"
        }
    }
}
