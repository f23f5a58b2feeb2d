// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshState {
    struct Status: Hashable, Sendable {
        /// The phases of ``AuthorizationStatus``.
        enum Phase { case unknown, signedOut, signingIn, authorized, refreshing }

        var phase: Phase
        var isAuthorized = false
        var isRefreshing = false
        /// Why the session is over. Errors with the same reason are equal, as in ``Ending``.
        var ending: Ending?

        static let unknown = Status(phase: .unknown)
    }

    var status: Status {
        var status = Status(phase: phase, isRefreshing: flight != nil)
        switch credential {
        case .held: status.isAuthorized = true
        case .ended(let ending): status.ending = ending
        case .unknown, .absent: break
        }
        return status
    }

    private var phase: Status.Phase {
        if isSigningIn { return .signingIn }
        return switch credential {
        case .unknown: .unknown
        // A service that needs no user is fetching the first token.
        case .absent: flight == nil ? .signedOut : .unknown
        case .held: flight == nil ? .authorized : .refreshing
        case .ended: .signedOut
        }
    }

    private var isSigningIn: Bool {
        if case .signedIn? = pending?.news { return true }
        return !manuals.isEmpty
    }
}
