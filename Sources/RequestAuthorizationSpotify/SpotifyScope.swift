// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A permission that a user can give to an app on Spotify.
///
///     let pending = try await spotify.signIn(scopes: [.userReadEmail, .userReadPlaybackState, "user-personalized"])
///
/// A sign-in does not add scopes to earlier ones. To get one more, sign in again with all of them.
public struct SpotifyScope: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral, Labelled {
    /// Spotify's name of the scope, for instance `user-read-email`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A scope that this library does not know yet.
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    @usableFromInline package var label: String { rawValue }
}

extension SpotifyScope {
    // Images
    /// Upload cover images of playlists.
    public static let ugcImageUpload: SpotifyScope = "ugc-image-upload"

    // Spotify Connect
    /// See what is playing, on which device, and the available devices.
    public static let userReadPlaybackState: SpotifyScope = "user-read-playback-state"
    /// Play, pause, skip, seek, set the volume and the queue; with Spotify Premium only.
    public static let userModifyPlaybackState: SpotifyScope = "user-modify-playback-state"
    /// See what is playing and what comes next.
    public static let userReadCurrentlyPlaying: SpotifyScope = "user-read-currently-playing"

    // Playback
    /// Play within the app, with the Web Playback SDK.
    public static let streaming: SpotifyScope = "streaming"
    /// Control the Spotify app, with the SDKs for iOS and Android.
    public static let appRemoteControl: SpotifyScope = "app-remote-control"

    // Users
    /// See the e-mail address, which Spotify has not verified.
    public static let userReadEmail: SpotifyScope = "user-read-email"
    /// See country and subscription.
    public static let userReadPrivate: SpotifyScope = "user-read-private"

    // Playlists
    /// See collaborative playlists.
    public static let playlistReadCollaborative: SpotifyScope = "playlist-read-collaborative"
    /// Make and change public playlists.
    public static let playlistModifyPublic: SpotifyScope = "playlist-modify-public"
    /// See private playlists.
    public static let playlistReadPrivate: SpotifyScope = "playlist-read-private"
    /// Make and change private playlists.
    public static let playlistModifyPrivate: SpotifyScope = "playlist-modify-private"

    // Library
    /// Add to the library, and remove from it.
    public static let userLibraryModify: SpotifyScope = "user-library-modify"
    /// See the library.
    public static let userLibraryRead: SpotifyScope = "user-library-read"

    // Listening history
    /// See the user's top artists and tracks.
    public static let userTopRead: SpotifyScope = "user-top-read"
    /// See how far the user has listened to an episode.
    public static let userReadPlaybackPosition: SpotifyScope = "user-read-playback-position"
    /// See what the user has listened to recently.
    public static let userReadRecentlyPlayed: SpotifyScope = "user-read-recently-played"

    // Following
    /// See whom the user follows.
    public static let userFollowRead: SpotifyScope = "user-follow-read"
    /// Follow and unfollow artists and users.
    public static let userFollowModify: SpotifyScope = "user-follow-modify"
}

extension SpotifyScope: CaseIterable {
    /// The nineteen scopes above. Request only those that you use: the consent page shows each of them to the user.
    public static let allCases: Set<SpotifyScope> = [
        .ugcImageUpload, .userReadPlaybackState, .userModifyPlaybackState, .userReadCurrentlyPlaying, .streaming,
        .appRemoteControl, .userReadEmail, .userReadPrivate, .playlistReadCollaborative, .playlistModifyPublic,
        .playlistReadPrivate, .playlistModifyPrivate, .userLibraryModify, .userLibraryRead, .userTopRead,
        .userReadPlaybackPosition, .userReadRecentlyPlayed, .userFollowRead, .userFollowModify,
    ]
}

extension Set where Element == SpotifyScope {
    var names: Set<String> { Set<String>(map(\.rawValue)) }
}

extension RefreshableTokenAuthorization where Token == OAuthToken {
    /// Whether a user is signed in and has allowed all of these scopes.
    public nonisolated func isAuthorized(for scopes: Set<SpotifyScope>) async -> Bool {
        await isAuthorized(for: scopes.names)
    }

    /// The scopes that the user has not allowed; `nil` if no user is signed in.
    ///
    /// To get them, sign in again with these and the allowed ones.
    public nonisolated func missingScopes(of scopes: Set<SpotifyScope>) async -> Set<SpotifyScope>? {
        await missingScopes(of: scopes.names).map { Set($0.map { SpotifyScope(rawValue: $0) }) }
    }
}
