// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The resources of Spotify. All have `id`, `type` and `uri`, and then what their kind has.
struct Artist: Encodable, Sendable {
    struct Followers: Encodable, Sendable { let total: Int }

    let id: String
    let name: String
    let type: String
    let uri: String
    let genres: [String] = []
    /// Only with Extended Quota.
    let followers: Followers?
    let popularity: Int?

    init(_ id: String, _ name: String, _ popularity: Int?) {
        (self.id, self.name, type, uri) = (id, name, "artist", "spotify:artist:\(id)")
        (followers, self.popularity) = (popularity.map { _ in Followers(total: 1024) }, popularity)
    }
}

struct Album: Encodable, Sendable {
    let id: String
    let name: String
    let artists: [Artist]
    let albumType = "album"
    let releaseDate: String
    let totalTracks: Int
    let type: String
    let uri: String
    /// Only with Extended Quota.
    let popularity: Int?
    /// Only if the album itself was requested.
    var tracks: Page<Track>?

    init(_ id: String, _ name: String, by artist: Artist, _ released: String, _ count: Int, _ popularity: Int?) {
        (self.id, self.name, artists, type, uri) = (id, name, [artist], "album", "spotify:album:\(id)")
        (releaseDate, totalTracks, self.popularity) = (released, count, popularity)
    }
}

struct Track: Encodable, Sendable {
    let id: String
    let name: String
    let artists: [Artist]
    /// Absent within the album.
    var album: Album?
    let durationMs: Int
    let trackNumber: Int
    let explicit = false
    let isLocal = false
    let type: String
    let uri: String
    /// Only with Extended Quota.
    let popularity: Int?

    init(_ id: String, _ name: String, on album: Album, _ number: Int, milliseconds: Int, _ popularity: Int?) {
        (self.id, self.name, durationMs, trackNumber) = (id, name, milliseconds, number)
        (self.album, artists, type, uri) = (album, album.artists, "track", "spotify:track:\(id)")
        self.popularity = popularity
    }
}

/// A user. Extended Quota and the scopes for it add more than the name.
struct Profile: Encodable, Sendable {
    struct Followers: Encodable, Sendable { let total: Int }

    let id: String
    let displayName = "Local Listener"
    var country: String?
    var email: String?
    var product: String?
    var followers: Followers?
    let type: String
    let uri: String

    init(_ id: String, _ scopes: Set<String>, _ mode: LocalSpotify.Mode) {
        (self.id, type, uri) = (id, "user", "spotify:user:\(id)")
        guard mode == .extendedQuota else { return }
        followers = Followers(total: 7)
        if scopes.contains("user-read-private") { (country, product) = ("SE", "premium") }
        if scopes.contains("user-read-email") { email = "listener@local.example" }
    }
}

struct PlaybackState: Encodable, Sendable {
    struct Context: Encodable, Sendable {
        let type: String
        let uri: String

        init(uri: String) {
            (type, self.uri) = (String(uri.split(separator: ":").dropFirst().first ?? "playlist"), uri)
        }
    }

    let device: Player.Device?
    let shuffleState: Bool
    let repeatState: Player.RepeatMode
    let timestamp: Int
    let progressMs: Int
    let isPlaying: Bool
    let context: Context?
    let currentlyPlayingType = "track"
    let item: Track

    init(_ player: Player, _ device: Player.Device?, at now: Date) {
        self.device = device
        (shuffleState, repeatState) = (player.isShuffled, player.repeatMode)
        timestamp = Int(now.timeIntervalSince1970 * 1000)
        progressMs = player.progress(at: now)
        isPlaying = player.isPlaying
        context = player.context.map(Context.init(uri:))
        item = player.current
    }
}
