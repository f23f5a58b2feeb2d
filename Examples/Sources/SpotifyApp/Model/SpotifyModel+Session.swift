// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
import RequestAuthorizationSpotify

extension SpotifyModel {
    /// The scopes that the app asks for.
    static let scopes: Set<SpotifyScope> = [.userReadPlaybackState, .userReadPrivate]

    // sample: sign-in
    /// Begins a sign-in.
    ///
    /// - Returns: Spotify's page, to be opened in the browser; `nil` if there is an ``alert`` instead.
    public func signIn() async -> URL? {
        do {
            let pending = try await service.signIn(scopes: Self.scopes)
            isSigningIn = true
            return pending.url
        } catch {
            alert = SpotifyAlert(error)
            return nil
        }
    }
    // end sample

    // sample: open
    /// Handles a link with which the system opens the app.
    ///
    /// A callback finishes its sign-in, also if the app was ended in the meantime. Any other link of the app's scheme
    /// may come from another program or a web page. It changes nothing, and the sign-in still waits.
    ///
    /// - Returns: whether it was a callback.
    @discardableResult
    public func open(_ url: URL) async -> Bool {
        do {
            try await authorization.signIn { [service] in try await service.finish(callback: url) }
        } catch let error as SignInError where error.kind == .foreign {
            return false
        } catch {
            isSigningIn = false
            alert = SpotifyAlert(error)
            return true
        }
        isSigningIn = false
        forget()
        await refresh()
        return true
    }
    // end sample

    // sample: sign-out
    /// Ends the session on this device, even if the server cannot revoke it.
    public func signOut() async {
        do { try await authorization.signOut() } catch { await authorization.reset() }
        forget()
    }
    // end sample
}
