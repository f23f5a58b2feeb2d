// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Programs end.
extension RefreshableTokenAuthorization {
    /// Waits until the refreshes, saves and revocations that have begun have ended, and what they brought is stored.
    ///
    /// Await it before the program ends: a rotated token that was not stored signs the user out.
    ///
    ///     print(try await auth.validToken(lasting: .seconds(300)).accessToken)
    ///     try await auth.settle(within: .seconds(10))
    ///
    /// People in sign-ins are not waited for, and what begins later neither. Nothing is cancelled.
    ///
    /// - Throws: ``NotSettled`` if something is under way or unstored when the time is over; `CancellationError` at once when the
    ///   task is cancelled.
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

    /// From now on no refresh begins for which no caller waits. For a service that drains: requests that are still served may
    /// cause refreshes, and wait for them.
    public nonisolated func stopBackgroundRefresh() { change { state, _ in state.stopBackgroundRefresh() } }

    /// Ends the provider: nothing new begins, and calls throw ``NotAuthorized`` with the reason
    /// ``NotAuthorized/Reason/shutDown``. Then it waits as ``settle(within:)`` does.
    ///
    /// Requests that wait for a refresh go on with what it brings; sign-ins that are under way are cancelled.
    ///
    /// - Throws: what ``settle(within:)`` throws. What is unstored then is given up.
    public nonisolated func shutdown(within limit: Duration) async throws {
        change { $0.shutDown(&$1) }
        defer { change { $0.giveUpWriting(&$1) } }
        try await settle(within: limit)
    }

    /// Returns when the store has been told of what was decided before, or has failed.
    nonisolated func settleStore() async {
        guard store != nil else { return }
        let number = change { state, _ in state.settleStore() }
        await settling.wait(for: number)
    }
}

/// A provider had not settled when the time was over: something is under way, or not in the store.
///
/// Wait longer, or let the program end and lose it: a rotated token that was not stored signs the user out.
public struct NotSettled: Error, Sendable {
    /// Whether a refresh or a revocation is under way.
    public let isRefreshing: Bool
    /// Whether the store does not hold what is in use, or does not know of a sign-out.
    public let isUnstored: Bool
    /// What the store threw last, if it did. It is not printed here.
    public let storeError: (any Error)?

    public init(isRefreshing: Bool, isUnstored: Bool, storeError: (any Error)? = nil) {
        self.isRefreshing = isRefreshing
        self.isUnstored = isUnstored
        self.storeError = storeError
    }
}

extension NotSettled: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let states = [isRefreshing ? "a refresh is under way" : nil, unstored].compactMap { $0 }
        return "the provider has not settled: " + states.joined(separator: ", and ") + "; wait longer"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["isRefreshing": isRefreshing, "isUnstored": isUnstored])
    }

    private var unstored: String? {
        guard isUnstored else { return nil }
        return "the store does not hold the outcome" + (storeError.map { " (\(type(of: $0)))" } ?? "")
    }
}
