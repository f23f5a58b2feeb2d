// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The Web API, after the access token is checked.
struct WebAPI: Sendable {
    /// An item in the user's library.
    struct Saved: Hashable, Sendable {
        let uri: String
        let addedAt: Date
    }

    let mode: LocalSpotify.Mode
    let catalogue: Catalogue
    var player: Player
    var playlists: [StoredPlaylist]
    var saved: [Saved]
    /// The number of playlists that were created.
    var made = 0

    init(mode: LocalSpotify.Mode = .developmentMode) {
        self.mode = mode
        catalogue = Catalogue(mode: mode)
        playlists = catalogue.playlists
        player = Player(catalogue.tracks, first: catalogue.tracks[0], history: catalogue.history)
        saved = [catalogue.tracks[3].uri, catalogue.tracks[1].uri, catalogue.albums[0].uri, catalogue.shows[1].uri].map
        {
            Saved(uri: $0, addedAt: Catalogue.past)
        }
    }

    /// Answers a call with a valid access token.
    ///
    /// - Parameter grant: the grant of the token.
    mutating func answer(to call: Call, _ grant: Grant, at now: Date) throws -> Answer {
        guard let route = Route(call.method, call.path, mode) else { return try refuse(call) }
        do {
            if route.needsUser, !grant.hasUser { throw WebAPIError(403, "Valid user authentication required") }
            try require(route.scopes, of: grant)
            player.settle(at: now)
            return try perform(route, call, grant, at: now)
        } catch let error as WebAPIError {
            return try error.answer
        }
    }

    /// Refuses a call without a valid access token (RFC 6750 §3).
    static func refusal(of standing: AccessTokenStanding?) throws -> Answer? {
        switch standing {
        case .valid: nil
        case .expired: try unauthorized("The access token expired")
        case .invalid: try unauthorized("Invalid access token")
        case nil:
            // Without credentials the answer has no error code (RFC 6750 §3.1).
            try .regularError(401, "No token provided", fields: ["WWW-Authenticate": "Bearer realm=\"spotify\""])
        }
    }

    func require(_ scopes: Set<String>, of grant: Grant) throws {
        guard scopes.isSubset(of: grant.scopes) else { throw WebAPIError.missing(scopes) }
    }

    /// - Throws: ``WebAPIError`` if limit or offset are not valid.
    func stretch(of call: Call, most: Int = 50, usual: Int = 20) throws -> (limit: Int, offset: Int) {
        guard let limit = Int(call.query["limit"] ?? String(usual)), let offset = Int(call.query["offset"] ?? "0"),
            (1...most).contains(limit), offset >= 0, offset <= 1000
        else { throw WebAPIError(400, "Invalid limit") }
        return (limit, offset)
    }

    func decode<Body: Decodable>(_ call: Call, as type: Body.Type = Body.self) throws -> Body {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let body = try? decoder.decode(type, from: call.body) else {
            throw WebAPIError(400, "Error parsing JSON.")
        }
        return body
    }

    // MARK: -

    private mutating func perform(_ route: Route, _ call: Call, _ grant: Grant, at now: Date) throws -> Answer {
        switch route {
        case .me: try .json(200, Profile(catalogue.user, grant.scopes, mode))
        case .playback: try playback(at: now, withDevice: true)
        case .currentlyPlaying: try playback(at: now, withDevice: false)
        case .devices: try .json(200, ["devices": player.devices])
        case .queue: try queue()
        case .transfer: try transfer(call, at: now)
        case .recentlyPlayed: try recentlyPlayed(call)
        case .top(let kind): try top(kind, call)
        case .play, .pause, .next, .previous, .seek, .volume, .repeatMode, .shuffle, .enqueue:
            try command(route, call, at: now)
        case .search: try search(call)
        case .playlists: try list(call)
        case .createPlaylist(let user): try create(for: user, call, grant)
        case .playlist(let id): try show(id, call)
        case .playlistItems(let id): try items(of: id, call)
        case .addItems(let id): try add(to: id, call, grant, at: now)
        case .removeItems(let id, let key): try remove(from: id, key, call, grant)
        case .moveItems(let id): try moveItems(of: id, call, grant)
        case .library(let isSaved): try changeLibrary(call, isSaved: isSaved, grant, at: now)
        case .libraryContains: try contains(call)
        case .saved(let resource): try listSaved(resource, call)
        case .changeSaved(let resource, let isSaved): try change(resource, call, isSaved: isSaved, at: now)
        case .show(let id): try show(id, call, grant)
        case .showEpisodes(let id): try showEpisodes(id, call, grant)
        case .episode(let id): try episode(id, call, grant)
        case .track(let id): try track(id)
        case .album(let id): try album(id, call)
        case .albumTracks(let id): try albumTracks(id, call)
        case .artist(let id): try artist(id)
        case .artistAlbums(let id): try artistAlbums(id, call)
        }
    }

    private func refuse(_ call: Call) throws -> Answer {
        let allowed = ["GET", "POST", "PUT", "DELETE"].filter { Route($0, call.path, mode) != nil }
        guard !allowed.isEmpty else { return try .regularError(404, "Service not found") }
        return try .regularError(405, "Method not allowed", fields: ["Allow": allowed.joined(separator: ", ")])
    }

    private static func unauthorized(_ message: String) throws -> Answer {
        let challenge = "Bearer realm=\"spotify\", error=\"invalid_token\", error_description=\"\(message)\""
        return try .regularError(401, message, fields: ["WWW-Authenticate": challenge])
    }
}
