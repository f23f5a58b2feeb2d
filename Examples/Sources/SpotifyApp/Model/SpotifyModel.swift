// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Observation
public import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationURLSession
public import SpotifyWebAPI

/// The state and the logic of the app. The views have no logic.
///
///     @State private var model = SpotifyModel(clientID: "CLIENT_ID", redirectURI: "my-app://login-callback")
///
///     WindowGroup { RootView(model: model) }      // restores the session at launch, and opens callbacks
///
/// The app has no client secret, because every user of the app could read it (RFC 8252 §8.5). It does not save tokens
/// either: the provider saves each new token before it is used.
@MainActor
@Observable
public final class SpotifyModel {
    public enum Screen: Hashable, Sendable {
        /// The stored session is being read.
        case launching
        case logIn
        case content
    }

    public var screen: Screen {
        guard isRestored else { return .launching }
        return status.isAuthorized && !needsLogIn ? .content : .logIn
    }

    /// The signed-in user, or `nil` before Spotify has answered.
    public private(set) var user: User?

    /// The current track or episode, or `nil` if nothing plays or before Spotify has answered.
    public private(set) var playing: NowPlaying?

    /// The message to show until the user dismisses it.
    public var alert: SpotifyAlert?

    /// Whether the last refresh failed, for instance without a network. The session continues.
    public private(set) var isStale = false

    /// Whether the app waits for the callback of a sign-in.
    public internal(set) var isSigningIn = false

    /// How the user removes the app from the account, which an app cannot do at Spotify.
    public var signOutAdvice: String? { service.signOutAdvice }

    /// Shared by all parts of the app that call Spotify for this user.
    @ObservationIgnored public let authorization: RefreshableTokenAuthorization<OAuthToken>

    @ObservationIgnored let service: SpotifyTokenService
    @ObservationIgnored private let spotify: SpotifyClient
    private let status: AuthorizationStatus
    private var isRestored = false
    /// Whether the session goes on, but only a log-in gives what the app needs.
    private var needsLogIn = false
    /// The number of the session.
    @ObservationIgnored private var session = 0

    /// Creates the model of the real app. Tokens are in the Keychain, or on Linux in a file that only its owner can
    /// open.
    ///
    /// - Parameters:
    ///   - clientID: the client id of the app in Spotify's dashboard.
    ///   - redirectURI: the redirect URI of the dashboard, with a scheme of the app's Info.plist.
    public convenience init(clientID: String, redirectURI: String) {
        // sample: client
        let service = SpotifyTokenService.pkce(
            clientID: clientID, redirectURI: redirectURI, pendingSignIns: .items(.default(client: clientID)),
            transport: URLSession.shared)
        self.init(
            service: service,
            authorization: service.authorization(store: .default(client: clientID, account: "me")))
        // end sample
    }

    /// - Parameters:
    ///   - service: signs in.
    ///   - authorization: refreshes and stores the token.
    ///   - webAPI: another server in place of `https://api.spotify.com`, for tests.
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
    /// Continues the session of the last launch, also without a network, and shows what is playing.
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
            // The user may have signed out meanwhile, or another user may have signed in.
            guard asked == session else { return }
            (self.user, self.playing, isStale, needsLogIn) = (user, playing, false, false)
        } catch let error as NotAuthorized where error.needsSignIn {
            if asked == session { forget(needsLogIn: error.reason == .needsInteraction) }
        } catch is MissingScopes {  // An update of the app may need more than the user has allowed.
            if asked == session { forget(needsLogIn: true) }
        } catch let error as SpotifyError where error.status == 403 {
            if asked == session { alert = .refused }
        } catch is CancellationError {
        } catch {
            if asked == session { isStale = true }
        }
    }
    // end sample

    /// Clears the data of the last user. A late answer for that user is dropped, too.
    func forget(needsLogIn: Bool = false) {
        session += 1
        (user, playing, isStale, self.needsLogIn) = (nil, nil, false, needsLogIn)
    }
}
