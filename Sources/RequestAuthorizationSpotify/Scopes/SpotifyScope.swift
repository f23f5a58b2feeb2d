// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a user can allow an app to do on Spotify.
///
///     let pending = try await spotify.signIn(scopes: [.userReadEmail, .userReadPlaybackState, "user-personalized"])
///
/// Scopes are not added to a sign-in: who needs one more signs in again and asks for the old and the new ones together.
public struct SpotifyScope: RawRepresentable, Hashable, Sendable, Codable {
    /// As Spotify writes it, for instance `user-read-email`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

extension SpotifyScope: ExpressibleByStringLiteral {
    /// A scope that this library does not know yet.
    public init(stringLiteral name: String) { self.init(rawValue: name) }
}

extension SpotifyScope: CustomStringConvertible {
    public var description: String { rawValue }
}

extension SpotifyScope {
    // Images

    /// Upload cover images of playlists.
    public static let ugcImageUpload: SpotifyScope = "ugc-image-upload"

    // Spotify Connect

    /// See what is playing, where, and which devices there are.
    public static let userReadPlaybackState: SpotifyScope = "user-read-playback-state"
    /// Play, pause, skip, seek, set the volume and the queue; with Spotify Premium only.
    public static let userModifyPlaybackState: SpotifyScope = "user-modify-playback-state"
    /// See what is playing and what comes next.
    public static let userReadCurrentlyPlaying: SpotifyScope = "user-read-currently-playing"

    // Playback

    /// Play within the app: the Web Playback SDK.
    public static let streaming: SpotifyScope = "streaming"
    /// Control the Spotify app: the SDKs for iOS and Android.
    public static let appRemoteControl: SpotifyScope = "app-remote-control"

    // Users

    /// See the e-mail address, which Spotify has not checked to be the user's own.
    public static let userReadEmail: SpotifyScope = "user-read-email"
    /// See country and subscription.
    public static let userReadPrivate: SpotifyScope = "user-read-private"

    // Playlists

    /// See the playlists that the user makes together with others.
    public static let playlistReadCollaborative: SpotifyScope = "playlist-read-collaborative"
    /// Make and change public playlists.
    public static let playlistModifyPublic: SpotifyScope = "playlist-modify-public"
    /// See private playlists.
    public static let playlistReadPrivate: SpotifyScope = "playlist-read-private"
    /// Make and change private playlists.
    public static let playlistModifyPrivate: SpotifyScope = "playlist-modify-private"

    // Library

    /// Save to the library, and take out of it.
    public static let userLibraryModify: SpotifyScope = "user-library-modify"
    /// See the library.
    public static let userLibraryRead: SpotifyScope = "user-library-read"

    // Listening history

    /// See whom and what the user listens to most.
    public static let userTopRead: SpotifyScope = "user-top-read"
    /// See how far the user has listened to an episode.
    public static let userReadPlaybackPosition: SpotifyScope = "user-read-playback-position"
    /// See what the user has listened to lately.
    public static let userReadRecentlyPlayed: SpotifyScope = "user-read-recently-played"

    // Following

    /// See whom the user follows.
    public static let userFollowRead: SpotifyScope = "user-follow-read"
    /// Follow and unfollow.
    public static let userFollowModify: SpotifyScope = "user-follow-modify"
}

extension SpotifyScope: CaseIterable {
    /// The nineteen that stand here. Ask for what you use: a user sees each of them on the consent page.
    public static let allCases: Set<SpotifyScope> = [
        .ugcImageUpload, .userReadPlaybackState, .userModifyPlaybackState, .userReadCurrentlyPlaying, .streaming,
        .appRemoteControl, .userReadEmail, .userReadPrivate, .playlistReadCollaborative, .playlistModifyPublic,
        .playlistReadPrivate, .playlistModifyPrivate, .userLibraryModify, .userLibraryRead, .userTopRead,
        .userReadPlaybackPosition, .userReadRecentlyPlayed, .userFollowRead, .userFollowModify,
    ]
}

extension Set where Element == SpotifyScope {
    /// As Spotify writes them.
    var names: Set<String> { Set<String>(map(\.rawValue)) }
}
