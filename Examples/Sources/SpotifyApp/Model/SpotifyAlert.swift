// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify

/// A message for the user after a failed sign-in, or if Spotify refuses the user.
public struct SpotifyAlert: Hashable, Sendable, Identifiable {
    public let title: String
    public let message: String
    public var id: String { title }

    /// The user pressed "Cancel" on Spotify's page, which is not an error.
    public static let denied = SpotifyAlert(
        title: "You did not allow it", message: "Log in again if you want to see what is playing.")

    static let late = SpotifyAlert(title: "That took too long", message: "Log in again.")

    static let failed = SpotifyAlert(
        title: "The log-in failed", message: "Spotify did not confirm it. Check the network, and log in again.")

    /// Spotify answers 403, for instance because an app in development mode has only the users that its owner named.
    static let refused = SpotifyAlert(
        title: "Spotify does not let this app see your account",
        message: "The owner of this app must add you to its users, in Spotify's dashboard.")
}

extension SpotifyAlert {
    /// Does not show the error's own text, which is written for programmers.
    init?(_ error: any Error) {
        switch error {
        case is CancellationError: return nil
        case let error as SignInError where error.accessWasDenied: self = .denied
        case let error as SignInError where [.expired, .alreadyUsed].contains(error.kind): self = .late
        default: self = .failed
        }
    }
}
