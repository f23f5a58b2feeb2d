// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The end of a program.
extension RefreshableTokenAuthorization {
    /// Waits until refreshes, saves and revocations have ended and their tokens are stored.
    ///
    /// Await it before the program ends. If a rotated token is not stored, the user is signed out.
    ///
    ///     print(try await auth.validToken(lasting: .seconds(300)).accessToken)
    ///     try await auth.settle(within: .seconds(10))
    ///
    /// It also waits for a refresh that a sign-out or a sign-in has overtaken. It does not wait for sign-ins. It cancels
    /// nothing. The lock of a shared store is released by then, unless the store takes longer than the limit.
    ///
    /// - Throws: ``NotSettled`` if something is still under way or unstored after `limit`; `CancellationError` at once
    ///   when the task is cancelled.
    public nonisolated func settle(within limit: Duration) async throws {
        let caller = UUID.random()
        var entry: Int?
        let isSettled = await withTaskCancellationHandler {
            await core.wait(caller, for: .settled) {
                entry = timer.schedule(after: limit) { [core] in core.giveUp(caller) }
            }
        } onCancel: {
            core.giveUp(caller)
        }
        if let entry { timer.cancel(entry) }
        try Task.checkCancellation()
        if !isSettled, let unsettled = core.read({ $0.isSettled ? nil : $0.unsettled }) { throw unsettled }
    }

    /// Stops refreshes that no caller waits for. Use it when a service shuts down gracefully: requests that are still
    /// served may begin refreshes, and wait for them.
    public nonisolated func stopBackgroundRefresh() { change { state, _ in state.stopBackgroundRefresh() } }

    /// Ends the provider. Calls throw ``NotAuthorized`` with the reason ``NotAuthorized/Reason/shutDown``. Then waits
    /// like ``settle(within:)``.
    ///
    /// Waiters of a refresh under way get its token. Sign-ins under way are cancelled.
    ///
    /// - Throws: what ``settle(within:)`` throws. A token that is unstored by then is given up, a sign-out is not.
    public nonisolated func shutdown(within limit: Duration) async throws {
        change { $0.shutDown(&$1) }
        defer { change { $0.giveUpWriting(&$1) } }
        try await settle(within: limit)
    }

    /// Waits until the store holds the current content, or has failed.
    nonisolated func settleStore() async {
        if store != nil { _ = await core.wait(UUID.random(), for: .stored) }
    }
}
