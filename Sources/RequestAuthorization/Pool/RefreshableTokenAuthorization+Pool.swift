// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization: Dispensable {
    nonisolated func isDispensable(at now: Moment) -> Bool { core.isDispensable(at: now) }
}

extension RefreshableTokenAuthorization {
    /// Whether nothing is under way and everything is stored.
    nonisolated var isSettled: Bool { core.read { $0.isSettled } }

    /// Performs the first part of ``shutdown(within:)``, which is all of it if nothing is under way.
    ///
    /// - Returns: whether the shutdown is complete.
    nonisolated func shutDownAtOnce() -> Bool {
        change { state, turn in
            state.shutDown(&turn)
            guard state.isSettled else { return false }
            state.giveUpWriting(&turn)
            return true
        }
    }
}
