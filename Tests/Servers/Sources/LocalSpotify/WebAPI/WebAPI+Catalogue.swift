// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The catalogue.
extension WebAPI {
    func track(_ id: String) throws -> Answer {
        guard let track = catalogue.tracks.first(where: { $0.id == id }) else {
            throw WebAPIError(404, "Resource not found")
        }
        return try .json(200, track)
    }

    func album(_ id: String, _ call: Call) throws -> Answer {
        var album = try findAlbum(id)
        let tracks = tracks(of: album)
        album.tracks = Page(of: tracks, limit: 50, offset: 0, at: "\(call.base)/v1/albums/\(id)/tracks?")
        return try .json(200, album)
    }

    func albumTracks(_ id: String, _ call: Call) throws -> Answer {
        let stretch = try stretch(of: call)
        return try .json(
            200,
            Page(
                of: tracks(of: try findAlbum(id)), limit: stretch.limit, offset: stretch.offset,
                at: "\(call.base)/v1/albums/\(id)/tracks?"))
    }

    func artist(_ id: String) throws -> Answer {
        guard let artist = catalogue.artists.first(where: { $0.id == id }) else {
            throw WebAPIError(404, "Resource not found")
        }
        return try .json(200, artist)
    }

    func artistAlbums(_ id: String, _ call: Call) throws -> Answer {
        let stretch = try stretch(of: call)
        let albums = catalogue.albums.filter { $0.artists.contains { $0.id == id } }
        return try .json(
            200,
            Page(
                of: albums, limit: stretch.limit, offset: stretch.offset,
                at: "\(call.base)/v1/artists/\(id)/albums?"))
    }

    func search(_ call: Call) throws -> Answer {
        guard let query = call.query["q"] else { throw WebAPIError(400, "No search query") }
        guard let types = call.query["type"] else { throw WebAPIError(400, "Missing parameter type") }
        let stretch = try stretch(
            of: call, most: mode == .developmentMode ? 10 : 50, usual: mode == .developmentMode ? 5 : 20)
        var found = SearchResult()
        for type in types.split(separator: ",") {
            let address = "\(call.base)/v1/search?q=\(Self.escape(query))&type=\(Self.escape(String(type)))&"
            func page<Item>(_ list: [Item], _ name: (Item) -> String) -> Page<Item> {
                let hits = list.filter { name($0).localizedStandardContains(query) }
                return Page(of: hits, limit: stretch.limit, offset: stretch.offset, at: address)
            }
            switch type {
            case "track": found.tracks = page(catalogue.tracks) { $0.name }
            case "album": found.albums = page(catalogue.albums) { $0.name }
            case "artist": found.artists = page(catalogue.artists) { $0.name }
            case "playlist":
                let all = playlists.map { Playlist($0, owner: catalogue.user, mode: mode, base: call.base) }
                found.playlists = page(all) { $0.name }
            default: throw WebAPIError(400, "Bad search type field \(type)")
            }
        }
        return try .json(200, found)
    }

    // MARK: -

    private func findAlbum(_ id: String) throws -> Album {
        guard let album = catalogue.albums.first(where: { $0.id == id }) else {
            throw WebAPIError(404, "Resource not found")
        }
        return album
    }

    /// Without the album, which contains them.
    private func tracks(of album: Album) -> [Track] {
        catalogue.tracks.filter { $0.album?.id == album.id }.map { track in
            var track = track
            track.album = nil
            return track
        }
    }

    private static func escape(_ query: String) -> String {
        query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

private struct SearchResult: Encodable {
    var tracks: Page<Track>?
    var albums: Page<Album>?
    var artists: Page<Artist>?
    var playlists: Page<Playlist>?
}
