// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The scopes that the calls need, as Spotify writes them.
enum Scope {
    static let readPlayback = "user-read-playback-state"
    static let readPlaying = "user-read-currently-playing"
    static let controlPlayback = "user-modify-playback-state"
    static let readHistory = "user-read-recently-played"
    static let readTop = "user-top-read"
    static let readPlaylists = "playlist-read-private"
    static let changePublicPlaylists = "playlist-modify-public"
    static let changePrivatePlaylists = "playlist-modify-private"
    static let readLibrary = "user-library-read"
    static let changeLibrary = "user-library-modify"
    static let changeFollowing = "user-follow-modify"
}
