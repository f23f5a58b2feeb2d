// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Observation
public import RequestAuthorizationSpotify
import RequestAuthorizationURLSession
public import SpotifyWebAPI

/// What the app knows and does; its views show it and hold no logic.
///
///     @State private var model = SpotifyModel(clientID: "CLIENT_ID", redirectURI: "my-app://login-callback")
///
///     RootView(model: model)
///         .task { await model.restore() }                       // at launch
///         .onOpenURL { url in Task { await model.open(url) } }  // a callback, or any other link of the app's scheme
///
/// The app has no client secret: whoever has the app would have it too (RFC 8252 §8.5). Nothing here saves a token either; the
/// provider does with each change, before the token is used.
@MainActor
@Observable
public final class SpotifyModel {
    /// What to show.
    public enum Screen: Hashable, Sendable {
        /// What was stored is being looked at.
        case launching
        case logIn
        case content
    }

    public var screen: Screen {
        guard isRestored else { return .launching }
        return status.isAuthorized ? .content : .logIn
    }

    /// Who is signed in, as soon as that is known.
    public private(set) var user: User?

    /// What is playing; `nil` for nothing, and before it is known.
    public private(set) var playing: NowPlaying?

    /// What the user has to be told, until it is dismissed.
    public var alert: SpotifyAlert?

    /// Whether what is shown could not be brought up to date: no network, or Spotify is down. The session goes on.
    public private(set) var isStale = false

    /// Whether the user has been sent to Spotify, and a callback is waited for.
    public internal(set) var isSigningIn = false

    /// How the user removes the app from the account: Spotify does not let an app do it.
    public var signOutAdvice: String? { service.signOutAdvice }

    /// Everything of this app that speaks to Spotify for this user shares it.
    @ObservationIgnored public let authorization: RefreshableTokenAuthorization<OAuthToken>

    @ObservationIgnored let service: SpotifyTokenService
    @ObservationIgnored private let spotify: SpotifyClient
    private let status: AuthorizationStatus
    private var isRestored = false
    /// Counts the sessions.
    @ObservationIgnored private var session = 0

    /// The app as it is shipped: tokens are kept in the Keychain, or on Linux in a file that only its user can open.
    ///
    /// - Parameters:
    ///   - clientID: of the app in Spotify's dashboard.
    ///   - redirectURI: as it is registered there, with a scheme that the app's Info.plist names.
    public convenience init(clientID: String, redirectURI: String) {
        // sample: client
        let service = SpotifyTokenService.pkce(
            clientID: clientID, redirectURI: redirectURI, transport: URLSession.shared)
        self.init(service: service, authorization: service.authorization(account: "me"))
        // end sample
    }

    /// - Parameters:
    ///   - service: signs in.
    ///   - authorization: holds the token and keeps it stored.
    ///   - webAPI: another server that stands in for `https://api.spotify.com`.
    ///   - session: calls the Web API.
    public init(
        service: SpotifyTokenService, authorization: RefreshableTokenAuthorization<OAuthToken>, webAPI: URL? = nil,
        session: URLSession = .shared
    ) {
        (self.service, self.authorization) = (service, authorization)
        spotify = SpotifyClient(authorization: authorization, base: webAPI, session: session)
        status = AuthorizationStatus(following: authorization)
    }

    // sample: restore
    /// Takes up the session that the last launch left, and shows what is playing. Without a network the session is there all
    /// the same.
    public func restore() async {
        await refresh()
        isRestored = true
    }

    /// Asks Spotify who is signed in and what is playing.
    public func refresh() async {
        let asked = session
        do {
            let user = try await spotify.currentUser()
            let playing = try await spotify.playbackState().flatMap(NowPlaying.init)
            // Meanwhile somebody may have signed out, or somebody else in.
            guard asked == session else { return }
            (self.user, self.playing, isStale) = (user, playing, false)
        } catch let error as NotAuthorized where error.needsSignIn {
            if asked == session { forget() }
        } catch is CancellationError {
        } catch {
            if asked == session { isStale = true }
        }
    }
    // end sample

    /// What the last user saw is not shown to the next, nor what comes late.
    func forget() {
        session += 1
        (user, playing, isStale) = (nil, nil, false)
    }
}
