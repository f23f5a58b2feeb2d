// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationSpotify
import Testing

@Suite struct `Spotify's scopes` {
    /// Their texts in Spotify's documentation.
    private static let documented: Set = [
        "ugc-image-upload", "user-read-playback-state", "user-modify-playback-state", "user-read-currently-playing",
        "streaming", "app-remote-control", "user-read-email", "user-read-private", "playlist-read-collaborative",
        "playlist-modify-public", "playlist-read-private", "playlist-modify-private", "user-library-modify",
        "user-library-read", "user-top-read", "user-read-playback-position", "user-read-recently-played",
        "user-follow-read", "user-follow-modify",
    ]

    @Test func `are nineteen`() {
        #expect(SpotifyScope.allCases.count == 19)
        #expect(Set(SpotifyScope.allCases.map(\.rawValue)) == Self.documented)
    }

    @Test func `have room for new ones`() {
        let new: SpotifyScope = "user-personalized"
        #expect(new.rawValue == "user-personalized" && !SpotifyScope.allCases.contains(new))
    }

    @Test func `that a provider lacks are named if a user is signed in`() async throws {
        let spotify = SpotifyTokenService.pkce(clientID: "c", pendingSignIns: .inMemory, transport: NoTransport())
        let auth = RefreshableTokenAuthorization(service: spotify)
        #expect(await !auth.isAuthorized(for: [.userReadEmail]))
        #expect(await auth.missingScopes(of: [.userReadEmail]) == nil)
        try await auth.setToken(OAuthToken(accessToken: "a", scopes: ["user-read-email"]))
        #expect(await auth.isAuthorized(for: [.userReadEmail]))
        #expect(await !auth.isAuthorized(for: [.userReadEmail, .streaming]))
        let needed: Set<SpotifyScope> = [.userReadEmail, .streaming, "user-personalized"]
        #expect(await auth.missingScopes(of: needed) == [.streaming, "user-personalized"])
    }
}
