// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify

/// What the user is told when a sign-in brings no session.
public struct SpotifyAlert: Hashable, Sendable, Identifiable {
    public let title: String
    public let message: String
    public var id: String { title }

    /// The user pressed "Cancel" on Spotify's page: said once, and nothing is wrong.
    public static let denied = SpotifyAlert(
        title: "You did not allow it", message: "Log in again if you want to see what is playing.")

    static let late = SpotifyAlert(title: "That took too long", message: "Log in again.")

    static let failed = SpotifyAlert(
        title: "The log-in failed", message: "Spotify did not confirm it. Check the network, and log in again.")
}

extension SpotifyAlert {
    /// Nothing of the error's text is shown: it is written for programmers.
    init?(_ error: any Error) {
        switch error {
        case is CancellationError: return nil
        case let error as SignInError where error.accessWasDenied: self = .denied
        case let error as SignInError where [.expired, .alreadyUsed].contains(error.kind): self = .late
        default: self = .failed
        }
    }
}
