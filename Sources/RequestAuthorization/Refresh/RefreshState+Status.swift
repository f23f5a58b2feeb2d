// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshState {
    struct Status: Hashable, Sendable {
        /// The phases of ``AuthorizationStatus``.
        enum Phase { case unknown, signedOut, signingIn, authorized, refreshing, shutDown }

        var phase: Phase
        var isAuthorized = false
        var isRefreshing = false
        /// Why the session is over. Errors with the same reason are equal, as in ``Ending``.
        var ending: Ending?
    }

    var status: Status {
        var status = Status(phase: phase, isRefreshing: activity != .idle)
        switch holding {
        case .held: status.isAuthorized = !isShutDown
        case .ended(let ending): status.ending = ending
        case .unknown, .absent: break
        }
        return status
    }

    private var phase: Status.Phase {
        if isShutDown { return .shutDown }
        if signIn != nil || vault.signIn != nil { return .signingIn }
        return switch holding {
        case .unknown: .unknown
        // A service that needs no user is fetching the first token.
        case .absent: flight == nil ? .signedOut : .unknown
        case .held: flight == nil ? .authorized : .refreshing
        case .ended: .signedOut
        }
    }
}
