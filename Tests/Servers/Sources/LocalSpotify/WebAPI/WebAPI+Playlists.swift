// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The user's playlists.
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
        let index = try position(of: id, for: grant)
        let body: Body = try decode(call)
        let tracks = body.uris.compactMap { catalogue.track(uri: $0) }
        guard tracks.count == body.uris.count, (1...100).contains(tracks.count), body.position ?? 0 >= 0 else {
            throw WebAPIError(400, "Invalid track uri")
        }
        playlists[index].insert(tracks, at: body.position, now: now)
        return try .json(201, ["snapshot_id": playlists[index].snapshotID])
    }

    /// - Parameter key: `items`, or `tracks` at the former address. A list under the other key is ignored.
    mutating func remove(from id: String, _ key: String, _ call: Call, _ grant: Grant) throws -> Answer {
        struct Body: Decodable {
            struct Item: Decodable { let uri: String }
            let items: [Item]?
            let tracks: [Item]?
            let snapshotId: String?
        }
        let index = try position(of: id, for: grant)
        let body: Body = try decode(call)
        let uris = ((key == "items" ? body.items : body.tracks) ?? []).map(\.uri)
        guard !uris.isEmpty else { throw WebAPIError(400, "No uris provided") }
        guard uris.count <= 100 else { throw WebAPIError(400, "You can remove a maximum of 100 items per request.") }
        if let bad = uris.first(where: { !$0.hasPrefix("spotify:track:") && !$0.hasPrefix("spotify:episode:") }) {
            throw WebAPIError(400, "JSON body contains an invalid track uri: \(bad)")
        }
        if let snapshot = body.snapshotId, !playlists[index].knows(snapshot) {
            throw WebAPIError(400, "Invalid snapshot_id")
        }
        playlists[index].remove(Set(uris))
        return try .json(200, ["snapshot_id": playlists[index].snapshotID])
    }

    /// Stricter than Spotify, which merges moves of an earlier snapshot. Here only the latest snapshot is accepted.
    mutating func moveItems(of id: String, _ call: Call, _ grant: Grant) throws -> Answer {
        struct Body: Decodable {
            let rangeStart: Int
            let insertBefore: Int
            let rangeLength: Int?
            let snapshotId: String?
        }
        let index = try position(of: id, for: grant)
        let (body, count): (Body, Int) = (try decode(call), playlists[index].items.count)
        let length = body.rangeLength ?? 1
        guard (0..<count).contains(body.rangeStart), (1...count).contains(length), length <= count - body.rangeStart,
            (0...count).contains(body.insertBefore)
        else { throw WebAPIError(400, "Invalid range") }
        guard body.snapshotId ?? playlists[index].snapshotID == playlists[index].snapshotID else {
            throw WebAPIError(400, "Invalid snapshot_id")
        }
        playlists[index].move(body.rangeStart..<body.rangeStart + length, before: body.insertBefore)
        return try .json(200, ["snapshot_id": playlists[index].snapshotID])
    }

    // MARK: -

    /// The index of a playlist that the token may change.
    private func position(of id: String, for grant: Grant) throws -> Int {
        let position = try position(of: id)
        try require([Self.scope(isPublic: playlists[position].isPublic)], of: grant)
        return position
    }

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
