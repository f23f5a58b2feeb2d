// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What people have or see on Spotify, as `id`, `type`, `uri` and what else the kind has.
struct Artist: Encodable, Sendable {
    let id: String
    let name: String
    let type: String
    let uri: String

    init(_ id: String, _ name: String) {
        (self.id, self.name, type, uri) = (id, name, "artist", "spotify:artist:\(id)")
    }
}

struct Album: Encodable, Sendable {
    let id: String
    let name: String
    let artists: [Artist]
    let type: String
    let uri: String

    init(_ id: String, _ name: String, by artist: Artist) {
        (self.id, self.name, artists, type, uri) = (id, name, [artist], "album", "spotify:album:\(id)")
    }
}

struct Track: Encodable, Sendable {
    let id: String
    let name: String
    let artists: [Artist]
    let album: Album
    let durationMs: Int
    let explicit = false
    let type: String
    let uri: String

    init(_ id: String, _ name: String, on album: Album, milliseconds: Int) {
        (self.id, self.name, self.album, durationMs) = (id, name, album, milliseconds)
        (artists, type, uri) = (album.artists, "track", "spotify:track:\(id)")
    }
}

struct Playlist: Encodable, Sendable {
    struct Owner: Encodable, Sendable {
        let id: String
        let type = "user"
    }
    struct Tracks: Encodable, Sendable { let total: Int }

    let id: String
    let name: String
    let owner: Owner
    let isPublic = false
    let tracks: Tracks
    let type: String
    let uri: String

    init(_ id: String, _ name: String, owner: String, total: Int) {
        (self.id, self.name, self.owner, tracks) = (id, name, Owner(id: owner), Tracks(total: total))
        (type, uri) = ("playlist", "spotify:playlist:\(id)")
    }

    enum CodingKeys: String, CodingKey {
        case id, name, owner, tracks, type, uri
        case isPublic = "public"
    }
}

struct Profile: Encodable, Sendable {
    struct Followers: Encodable, Sendable { let total: Int }

    let id: String
    let displayName: String
    let country: String
    let product: String
    let followers: Followers
    let type: String
    let uri: String

    init(_ id: String, _ name: String) {
        (self.id, displayName, country, product) = (id, name, "SE", "premium")
        (followers, type, uri) = (Followers(total: 7), "user", "spotify:user:\(id)")
    }
}

struct PlaybackState: Encodable, Sendable {
    struct Device: Encodable, Sendable {
        let id: String
        let name: String
        let type = "Computer"
        let isActive = true
        let volumePercent: Int
    }

    let device: Device
    let shuffleState = false
    let repeatState = "off"
    let timestamp: Int
    let progressMs: Int
    let isPlaying = true
    let currentlyPlayingType = "track"
    let item: Track
}
