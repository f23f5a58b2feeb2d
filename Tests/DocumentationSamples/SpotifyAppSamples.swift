// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
// sample: app
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationURLSession

struct SpotifyAccess {
    let spotify: SpotifyTokenService
    let auth: RefreshableTokenAuthorization<OAuthToken>

    init(clientID: String) {
        // Both are kept in the Keychain; in a file of mode 0600 on Linux.
        spotify = .pkce(
            clientID: clientID, redirectURI: "my-app://login-callback",
            pendingSignIns: .items(.default(client: clientID)), transport: URLSession.shared)
        auth = spotify.authorization(store: .default(client: clientID, account: "me"))
    }

    func logInButton() async throws -> PendingSignIn {  // open its .url; it is kept until its callback comes
        try await spotify.signIn(scopes: [.userReadEmail, .userReadPlaybackState], showDialog: true)
    }

    func onOpenURL(_ url: URL) async throws {
        do {
            try await auth.signIn { try await spotify.finish(callback: url) }
        } catch let error as SignInError where error.accessWasDenied {
            print("denied")
        } catch let error as SignInError where error.kind == .foreign {
            print("another link of our scheme: a sign-in that is under way goes on")
        }
    }

    func isAuthorized() async -> Bool { await auth.isAuthorized(for: [.userReadEmail]) }

    func nowPlaying(_ request: URLRequest) async throws -> Data? {
        do {
            return try await URLSession.shared.data(for: request, authorizedBy: auth).0
        } catch let error as NotAuthorized where error.needsSignIn {
            return nil  // show the log-in; being offline throws another error and keeps the session
        }
    }

    func logOut() async throws {
        try await auth.signOut()
        print(spotify.signOutAdvice ?? "")  // … remove the app at https://www.spotify.com/account/apps/
    }
}
// end sample
#endif
