// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The user's playlists: those that are made are there.
extension WebAPI {
    func list(_ call: Call) throws -> Answer {
        let stretch = try stretch(of: call)
        let all = playlists.map { Playlist($0, owner: catalogue.user, mode: mode, base: call.base) }
        return try .json(
            200, Page(of: all, limit: stretch.limit, offset: stretch.offset, at: "\(call.base)/v1/me/playlists?"))
    }

    mutating func create(for user: String?, _ call: Call, _ grant: Grant) throws -> Answer {
        struct Body: Decodable {
            let name: String
            let description: String?
            let `public`: Bool?
        }
        guard user ?? catalogue.user == catalogue.user else {
            throw WebAPIError(403, "You cannot create a playlist for another user")
        }
        let body: Body = try decode(call)
        guard !body.name.isEmpty else { throw WebAPIError(400, "Missing required field: name") }
        let isPublic = body.public ?? true
        try require([Self.scope(isPublic: isPublic)], of: grant)
        made += 1
        let playlist = StoredPlaylist(
            id: "3dMade\(made)", name: body.name, description: body.description ?? "", isPublic: isPublic)
        playlists.insert(playlist, at: 0)
        return try .json(201, Playlist(playlist, owner: catalogue.user, mode: mode, base: call.base, withItems: true))
    }

    func show(_ id: String, _ call: Call) throws -> Answer {
        let playlist = playlists[try position(of: id)]
        return try .json(
            200, Playlist(playlist, owner: catalogue.user, mode: mode, base: call.base, withItems: true))
    }

    func items(of id: String, _ call: Call) throws -> Answer {
        let stretch = try stretch(of: call)
        let items = playlists[try position(of: id)].items.map { PlaylistItem($0, mode: mode) }
        let address = "\(call.base)/v1/playlists/\(id)/\(mode == .developmentMode ? "items" : "tracks")?"
        return try .json(200, Page(of: items, limit: stretch.limit, offset: stretch.offset, at: address))
    }

    mutating func add(to id: String, _ call: Call, _ grant: Grant, at now: Date) throws -> Answer {
        struct Body: Decodable {
            let uris: [String]
            let position: Int?
        }
        let index = try position(of: id)
        try require([Self.scope(isPublic: playlists[index].isPublic)], of: grant)
        let body: Body = try decode(call)
        let tracks = body.uris.compactMap { catalogue.track(uri: $0) }
        guard tracks.count == body.uris.count, (1...100).contains(tracks.count), body.position ?? 0 >= 0 else {
            throw WebAPIError(400, "Invalid track uri")
        }
        playlists[index].insert(tracks, at: body.position, now: now)
        return try .json(201, ["snapshot_id": playlists[index].snapshotID])
    }

    // MARK: -

    private static func scope(isPublic: Bool) -> String {
        isPublic ? "playlist-modify-public" : "playlist-modify-private"
    }

    private func position(of id: String) throws -> Int {
        guard let position = playlists.firstIndex(where: { $0.id == id }) else {
            throw WebAPIError(404, "Resource not found")
        }
        return position
    }
}
