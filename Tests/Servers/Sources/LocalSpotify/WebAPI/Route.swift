// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call of the Web API, by method and path.
enum Route: Hashable, Sendable {
    case me
    case playback, currentlyPlaying, devices, queue
    case play, pause, next, previous, seek, volume, repeatMode, shuffle, enqueue, transfer
    case recentlyPlayed
    case top(TopKind)
    case search
    case playlists
    case createPlaylist(user: String?)
    case playlist(String)
    case playlistItems(String)
    case addItems(String)
    /// With the key of the list in the body.
    case removeItems(String, key: String)
    case moveItems(String)
    case library(isSaved: Bool)
    case libraryContains
    case saved(Resource)
    case changeSaved(Resource, isSaved: Bool)
    case track(String)
    case album(String)
    case albumTracks(String)
    case artist(String)
    case artistAlbums(String)
    case show(String)
    case showEpisodes(String)
    case episode(String)

    /// The kinds of top items.
    enum TopKind: String, Hashable, Sendable {
        case artists, tracks
    }

    /// The kinds of lists in the former library.
    enum Resource: String, Hashable, Sendable {
        case tracks, albums, shows

        /// As in `spotify:track:…`.
        var kind: String { String(rawValue.dropLast()) }
    }

    /// - Returns: `nil` if the mode does not offer the call.
    init?(_ method: String, _ path: String, _ mode: LocalSpotify.Mode) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard parts.first == "v1" else { return nil }
        if let route = Self.players["\(method) \(path)"] {
            self = route
            return
        }
        switch (method, parts.count > 1 ? parts[1] : "", parts.dropFirst(2).map(\.self)) {
        case ("GET", "me", []): self = .me
        case ("GET", "search", []): self = .search
        case ("GET", "me", ["playlists"]): self = .playlists
        case ("POST", "me", ["playlists"]): self = .createPlaylist(user: nil)
        case ("PUT", "me", ["library"]): self = .library(isSaved: true)
        case ("DELETE", "me", ["library"]): self = .library(isSaved: false)
        case ("GET", "me", ["library", "contains"]): self = .libraryContains
        case ("GET", "tracks", let rest) where rest.count == 1: self = .track(rest[0])
        case ("GET", "albums", let rest) where rest.count == 1: self = .album(rest[0])
        case ("GET", "artists", let rest) where rest.count == 1: self = .artist(rest[0])
        case ("GET", "shows", let rest) where rest.count == 1: self = .show(rest[0])
        case ("GET", "episodes", let rest) where rest.count == 1: self = .episode(rest[0])
        case ("GET", "playlists", let rest) where rest.count == 1: self = .playlist(rest[0])
        default: self.init(more: method, parts, isExtended: mode == .extendedQuota)
        }
    }

    // MARK: -

    private init?(more method: String, _ parts: [String], isExtended: Bool) {
        guard parts.count >= 3 else { return nil }
        let (id, last) = (parts[2], parts[parts.count - 1])
        switch (method, parts[1], parts.count) {
        case ("GET", "me", 3):
            guard let resource = Resource(rawValue: last) else { return nil }
            self = .saved(resource)
        case ("GET", "me", 4) where id == "top":
            guard let kind = TopKind(rawValue: last) else { return nil }
            self = .top(kind)
        case ("PUT", "me", 3), ("DELETE", "me", 3):
            guard isExtended, let resource = Resource(rawValue: last) else { return nil }
            self = .changeSaved(resource, isSaved: method == "PUT")
        case (_, "playlists", 4) where last == "items" || isExtended && last == "tracks":
            self.init(method, itemsOf: id, key: last)
        case ("POST", "users", 4) where isExtended && last == "playlists": self = .createPlaylist(user: id)
        case ("GET", "albums", 4) where last == "tracks": self = .albumTracks(id)
        case ("GET", "artists", 4) where last == "albums": self = .artistAlbums(id)
        case ("GET", "shows", 4) where last == "episodes": self = .showEpisodes(id)
        default: return nil
        }
    }

    private init?(_ method: String, itemsOf playlist: String, key: String) {
        switch method {
        case "GET": self = .playlistItems(playlist)
        case "POST": self = .addItems(playlist)
        case "PUT": self = .moveItems(playlist)
        case "DELETE": self = .removeItems(playlist, key: key)
        default: return nil
        }
    }

    private static let players: [String: Route] = [
        "GET /v1/me/player": .playback, "PUT /v1/me/player": .transfer,
        "GET /v1/me/player/currently-playing": .currentlyPlaying, "GET /v1/me/player/devices": .devices,
        "GET /v1/me/player/queue": .queue, "POST /v1/me/player/queue": .enqueue,
        "PUT /v1/me/player/play": .play, "PUT /v1/me/player/pause": .pause,
        "POST /v1/me/player/next": .next, "POST /v1/me/player/previous": .previous,
        "PUT /v1/me/player/seek": .seek, "PUT /v1/me/player/volume": .volume,
        "PUT /v1/me/player/repeat": .repeatMode, "PUT /v1/me/player/shuffle": .shuffle,
        "GET /v1/me/player/recently-played": .recentlyPlayed,
    ]

    /// The scopes that the token must have, all of them. Scopes that depend on the playlist or the item are checked
    /// later.
    var scopes: Set<String> {
        switch self {
        case .playback, .devices: ["user-read-playback-state"]
        case .currentlyPlaying: ["user-read-currently-playing"]
        case .queue: ["user-read-playback-state", "user-read-currently-playing"]
        case .play, .pause, .next, .previous, .seek, .volume, .repeatMode, .shuffle, .enqueue, .transfer:
            ["user-modify-playback-state"]
        case .recentlyPlayed: ["user-read-recently-played"]
        case .top: ["user-top-read"]
        case .playlists: ["playlist-read-private"]
        case .saved, .libraryContains: ["user-library-read"]
        case .changeSaved: ["user-library-modify"]
        default: []
        }
    }

    /// Whether the call needs a user. A token of `client_credentials` has none.
    var needsUser: Bool {
        switch self {
        case .search, .track, .album, .albumTracks, .artist, .artistAlbums, .playlist, .playlistItems: false
        case .show, .showEpisodes, .episode: false
        default: true
        }
    }
}
