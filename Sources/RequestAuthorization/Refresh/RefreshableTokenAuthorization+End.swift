// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The end of a program.
extension RefreshableTokenAuthorization {
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
}
