// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Manual refreshes and sign-ins. Of several that succeed, the last one begun wins.
extension RefreshState {
    /// Begins a manual refresh. Requests wait for it.
    ///
    /// - Parameter isAwaited: whether a caller awaits the outcome; if not, a failure is an event.
    /// - Returns: why it cannot begin: the server has named a later time, or the provider is shut down; else `nil`.
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

    /// Installs the token of a manual refresh. It begins a session of its own once it is stored.
    mutating func manualSucceeded(_ id: RefreshID, _ held: HeldToken, _ turn: inout Turn) {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else { return discard(held, &turn) }
        if let fault = held.fault {
            discard(held, &turn)
            return manualFailed(id, fault, &turn)
        }
        let manual = manuals.remove(at: index)
        let superseded = Array(manuals[..<index])
        manuals.removeSubrange(..<index)
        cancel(superseded, error: CancellationError(), &turn)
        abandonRefreshes(&turn)
        if case .signedIn(let former, let manual)? = pending?.news {
            discard(former, &turn)
            if manual.isAwaited { turn.perform(.answer(manual.id, .failure(CancellationError()))) }
        }
        storm = StormGuard()
        guard isKept else { return signedIn(held, manual, &turn) }
        store(.save(held, replacing: .anything), &turn) { .signedIn(held, manual) }
    }

    /// Ends a manual refresh without a token. The held token stays, and waiters go on with it.
    mutating func manualFailed(_ id: RefreshID, _ error: any Error, _ turn: inout Turn) {
        guard let index = manuals.firstIndex(where: { $0.id == id }) else { return }
        if manuals.remove(at: index).isAwaited {
            turn.perform(.answer(id, .failure(error)))
        } else {
            turn.emit(.manualRefreshFailed(error))
        }
        releaseWaiters(&turn)
    }

    /// Cancels a manual refresh whose caller was cancelled. If it has a token already, nothing happens.
    mutating func cancelManual(_ id: RefreshID, _ turn: inout Turn) {
        guard manuals.contains(where: { $0.id == id }) else { return }
        manualFailed(id, CancellationError(), &turn)
        turn.perform(.cancel(id))
    }

    // MARK: - Helpers

    /// Puts the token of a manual refresh to use.
    mutating func signedIn(_ held: HeldToken, _ manual: Manual, _ turn: inout Turn) {
        if manual.isAwaited { turn.perform(.answer(manual.id, .success(held))) }
        publish(held, &turn)
    }

    /// Cancels manual refreshes, and fails the callers that await them.
    func cancel(_ manuals: [Manual], error: any Error, _ turn: inout Turn) {
        for manual in manuals {
            turn.perform(.cancel(manual.id))
            if manual.isAwaited { turn.perform(.answer(manual.id, .failure(error))) }
        }
    }
}
