// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The end of a program.
extension RefreshableTokenAuthorization {
    /// Waits until the current refreshes, saves and revocations have ended and their tokens are stored.
    ///
    /// Await it before the program ends. If a rotated token is not stored, the user is signed out.
    ///
    ///     print(try await auth.validToken(lasting: .seconds(300)).accessToken)
    ///     try await auth.settle(within: .seconds(10))
    ///
    /// It does not wait for sign-ins, or for work that begins later. It cancels nothing.
    ///
    /// - Throws: ``NotSettled`` if something is still under way or unstored after `limit`; `CancellationError` at once
    ///   when the task is cancelled.
    public nonisolated func settle(within limit: Duration) async throws {
        let number = change { state, _ in state.settle() }
        let entry = timer.schedule(after: limit) { [settling] in settling.resume([number]) }
        await withTaskCancellationHandler {
            await settling.wait(for: number)
        } onCancel: {
            settling.resume([number])
        }
        timer.cancel(entry)
        let unsettled = change { state, _ in state.unsettled(number) }
        settling.forget(number)
        try Task.checkCancellation()
        if let unsettled { throw unsettled }
    }

    /// Stops refreshes that no caller waits for. Use it when a service shuts down gracefully: requests that are still
    /// served may begin refreshes, and wait for them.
    public nonisolated func stopBackgroundRefresh() { change { state, _ in state.stopBackgroundRefresh() } }

    /// Ends the provider. Calls throw ``NotAuthorized`` with the reason ``NotAuthorized/Reason/shutDown``. Then waits
    /// like ``settle(within:)``.
    ///
    /// Waiters of a refresh under way get its token. Sign-ins under way are cancelled.
    ///
    /// - Throws: what ``settle(within:)`` throws. Content that is unstored by then is given up.
    public nonisolated func shutdown(within limit: Duration) async throws {
        change { $0.shutDown(&$1) }
        defer { change { $0.giveUpWriting(&$1) } }
        try await settle(within: limit)
    }

    /// Waits until the store holds the current content, or has failed.
    nonisolated func settleStore() async {
        guard store != nil else { return }
        let number = change { state, _ in state.settleStore() }
        await settling.wait(for: number)
    }
}

/// The error when a provider has not settled in time.
///
/// A refresh or a revocation is under way, or the store lacks the current token or a sign-out.
///
/// Wait longer, or let the program end and lose the token. If a rotated token is not stored, the user is signed out.
public struct NotSettled: Error, Sendable {
    /// Whether a refresh or a revocation is under way.
    public let isRefreshing: Bool
    /// Whether the store lacks the current token, or a sign-out.
    public let isUnstored: Bool
    /// The last error of the store, if any. The description shows its type only.
    public let storeError: (any Error)?

    public init(isRefreshing: Bool, isUnstored: Bool, storeError: (any Error)? = nil) {
        (self.isRefreshing, self.isUnstored, self.storeError) = (isRefreshing, isUnstored, storeError)
    }
}

extension NotSettled: RedactedDescription {
    public var description: String {
        let states = [isRefreshing ? "a refresh or a revocation is under way" : nil, unstored].compactMap { $0 }
        return "the provider has not settled: " + states.joined(separator: ", and ") + "; wait longer"
    }
    public var customMirror: Mirror {
        Mirror(self, children: ["isRefreshing": isRefreshing, "isUnstored": isUnstored])
    }

    private var unstored: String? {
        guard isUnstored else { return nil }
        return "the store does not hold the result yet" + (storeError.map { " (\(type(of: $0)))" } ?? "")
    }
}
