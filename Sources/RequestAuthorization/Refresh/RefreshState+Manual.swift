// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Refreshes by hand and sign-ins. The one that was begun last and succeeds wins.
extension RefreshState {
    /// A manual refresh begins: requests are held.
    ///
    /// - Parameter isAwaited: whether the caller awaits the outcome; if not, listeners hear of a failure.
    /// - Returns: why it does not begin: the server has said when it wants to be called again, or the provider is shut down.
    mutating func beginManual(_ id: RefreshID, isAwaited: Bool, _ turn: inout Turn) -> (any Error)? {
        var refusal: (any Error)?
        if isShutDown { refusal = NotAuthorized(.shutDown) }
        if backOff.isOrdered, !backOff.isOpen(at: turn.now), let failure { refusal = error(for: failure, at: turn.now) }
        if let refusal {
            if !isAwaited { turn.emit(.manualRefreshFailed(refusal, nextTryAt: backOff.date(at: turn.now))) }
            return refusal
        }
        manuals.append(Manual(id: id, beganAt: turn.now.uptime, isAwaited: isAwaited))
        return nil
    }

    /// A manual refresh brought a token; it begins a session of its own as soon as the store holds it.
    mutating func manualSucceeded(_ id: RefreshID, _ held: HeldToken, _ turn: inout Turn) {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else { return discard(held, &turn) }
        if let fault = held.fault {
            discard(held, &turn)
            return manualFailed(id, fault, &turn)
        }
        let manual = manuals.remove(at: index)
        let superseded = Array(manuals[..<index])
        manuals.removeSubrange(..<index)
        leave(superseded, error: CancellationError(), &turn)
        leaveFlight(&turn)
        if case .signedIn(let former, let manual)? = pending?.news {
            discard(former, &turn)
            if manual.isAwaited { turn.perform(.answer(manual.id, .failure(CancellationError()))) }
        }
        storm = StormGuard()
        guard isKept else { return signedIn(held, manual, &turn) }
        store(.save(held, replacing: .anything), &turn) { .signedIn(held, manual) }
    }

    /// A manual refresh failed: everything is as it was, and those who waited go on with what is held.
    mutating func manualFailed(_ id: RefreshID, _ error: any Error, _ turn: inout Turn) {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else { return }
        if manuals.remove(at: index).isAwaited {
            turn.perform(.answer(id, .failure(error)))
        } else {
            turn.emit(.manualRefreshFailed(error))
        }
        releaseWaiters(&turn)
    }

    /// The caller that awaits the manual refresh was cancelled: too late, if there is a token by now.
    mutating func cancelManual(_ id: RefreshID, _ turn: inout Turn) {
        guard manuals.contains(where: { $0.id == id }) else { return }
        manualFailed(id, CancellationError(), &turn)
        turn.perform(.cancel(id))
    }

    // MARK: - Helpers

    /// The token of a manual refresh is in use.
    mutating func signedIn(_ held: HeldToken, _ manual: Manual, _ turn: inout Turn) {
        if manual.isAwaited { turn.perform(.answer(manual.id, .success(held))) }
        publish(held, &turn)
    }

    /// These do not count any more.
    func leave(_ manuals: [Manual], error: any Error, _ turn: inout Turn) {
        for manual in manuals {
            turn.perform(.cancel(manual.id))
            if manual.isAwaited { turn.perform(.answer(manual.id, .failure(error))) }
        }
    }
}
