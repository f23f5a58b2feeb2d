// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import RequestAuthorization

// For people who read how a promise was broken.
extension ExploredWorld {
    func description(of event: Event) -> String {
        switch event {
        case .step(let index, let answer):
            "flight \(runners[index].id.number): \(name(of: runners[index].step)) → \(name(of: answer))"
        case .land(let index, let answer):
            "flight \(runners[index].id.number): \(name(of: runners[index].step)) lands: \(name(of: answer))"
        case .deadline(let index): "flight \(runners[index].id.number): deadline"
        case .hardLimit(let index): "flight \(runners[index].id.number): hard limit"
        case .manual(let index, let answer):
            "manual refresh \(hands[index].id.number): \(hands[index].saving == nil ? "body" : "save") → \(name(of: answer))"
        case .landManual(let index, let answer):
            "manual refresh \(hands[index].id.number): save lands: \(name(of: answer))"
        case .cancelManual(let index): "manual refresh \(hands[index].id.number): cancelled"
        case .manualDeadline(let index): "manual refresh \(hands[index].id.number): deadline"
        case .hold(let index): "request \(callers[index].number) is suspended"
        case .endWrite(let answer): "write → \(name(of: answer))"
        case .landWrite(let answer): "write lands: \(name(of: answer))"
        case .noticed(let act): (act.map { "a sibling has \($0), and that" } ?? "what is stored") + " is noticed"
        case .pass(let threshold): "time passes until \(threshold)"
        case .requestWithin(let id): "a request from within \(id.number)"
        case .cancel(let index): "request \(callers[index].number) is cancelled"
        default: "\(event)"
        }
    }

    var summary: String {
        var parts = ["\(name(of: state.credential))"]
        if let flight = state.flight {
            parts.append(
                "flight \(flight.id.number)\(flight.isDraining ? " draining" : "") at \(name(of: flight.step))")
        }
        for stray in state.strays { parts.append("stray \(stray.id.number) at \(name(of: stray.step))") }
        for manual in state.manuals {
            parts.append(
                "manual \(manual.id.number)\(manual.isHolding ? " holding" : "")\(manual.pending == nil ? "" : " saving")"
            )
        }
        if !callers.isEmpty { parts.append(callers.map { "\($0.number) \($0.stage)" }.joined(separator: ", ")) }
        if let unsaved = state.unsaved {
            parts.append("unsaved \(name(of: unsaved.content))\(unsaved.isWriting ? " being written" : "")")
        }
        if state.storage != .none { parts.append("store \(name(of: stored))\(intent == nil ? "" : " with intent")") }
        if state.failure != nil { parts.append("failed, slot \(state.backOff.isOpen(at: now) ? "open" : "closed")") }
        return parts.joined(separator: " | ")
    }

    private func name(of answer: Answer) -> String {
        if case .after(let act) = answer { "ok, after a sibling has \(act)" } else { "\(answer)" }
    }

    private func name(of credential: State.Credential) -> String {
        switch credential {
        case .unknown: "unknown"
        case .absent: "absent"
        case .ended: "ended"
        case .held(let held):
            "held token \(held.token.number)\(held.isRefused ? " refused" : held.isUsable(at: now.date) ? "" : " expired")"
        }
    }

    private func name(of content: State.Content) -> String {
        switch content {
        case .clear: "nothing"
        case .save(let stored, let condition):
            switch condition {
            case .anything: "\(name(of: stored)) replacing anything"
            case .session: "\(name(of: stored)) replacing its session"
            case .older: "\(name(of: stored)) replacing older"
            }
        }
    }

    private func name(of stored: Stored?) -> String {
        switch stored?.content {
        case nil: "empty"
        case .token(let token): "token \(token.number)"
        case .signedOut: "signed out"
        case .setAside: "set aside"
        }
    }

    private func name(of step: State.Step) -> String {
        switch step {
        case .load: "load"
        case .lock: "lock"
        case .reread: "reread"
        case .intent: "intent"
        case .refresh(let token): "refresh token \(token.number)"
        case .initial: "initial token"
        case .verify: "verify"
        case .save(let held, _): "save token \(held.token.number)"
        case .clearIntent: "clear intent"
        }
    }
}
