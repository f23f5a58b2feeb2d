// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The Web API behind the check of the access token: which call brings what.
struct WebAPI: Sendable {
    private let catalogue = Catalogue()

    /// Answers a call that was authorized.
    func answer(to call: Call, at now: Date) throws -> Answer {
        switch (call.method, call.path) {
        case ("GET", "/v1/me"): try .json(200, catalogue.profile)
        case ("GET", "/v1/me/player"): try .json(200, playback(at: now))
        case ("GET", "/v1/me/playlists"): try playlists(call)
        case ("GET", "/v1/search"): try search(call)
        case (_, "/v1/me"), (_, "/v1/me/player"), (_, "/v1/me/playlists"), (_, "/v1/search"):
            try .regularError(405, "Method not allowed", fields: ["Allow": "GET"])
        default: try .regularError(404, "Service not found")
        }
    }

    /// Refuses a call whose access token is worth nothing (RFC 6750 §3).
    static func refusal(of standing: AccessTokenStanding?) throws -> Answer? {
        switch standing {
        case .valid: nil
        case .expired: try unauthorized("The access token expired")
        case .invalid: try unauthorized("Invalid access token")
        case nil:
            // Without credentials no error code is given (RFC 6750 §3.1).
            try .regularError(401, "No token provided", fields: ["WWW-Authenticate": "Bearer realm=\"spotify\""])
        }
    }

    // MARK: -

    private static func unauthorized(_ message: String) throws -> Answer {
        let challenge = "Bearer realm=\"spotify\", error=\"invalid_token\", error_description=\"\(message)\""
        return try .regularError(401, message, fields: ["WWW-Authenticate": challenge])
    }

    private func playback(at now: Date) -> PlaybackState {
        let track = catalogue.tracks[0]
        let milliseconds = Int(now.timeIntervalSince1970 * 1000)
        return PlaybackState(
            device: .init(id: "5eLocalSpeaker", name: "Local speaker", volumePercent: 60), timestamp: milliseconds,
            progressMs: milliseconds % track.durationMs, item: track)
    }

    private func playlists(_ call: Call) throws -> Answer {
        guard let stretch = stretch(of: call) else { return try .regularError(400, "Invalid limit") }
        return try .json(
            200,
            Page(
                of: catalogue.playlists, limit: stretch.limit, offset: stretch.offset,
                at: "\(call.base)/v1/me/playlists?"))
    }

    private func search(_ call: Call) throws -> Answer {
        guard let query = call.query["q"], !query.isEmpty else { return try .regularError(400, "No search query") }
        guard let types = call.query["type"], !types.isEmpty else {
            return try .regularError(400, "Missing parameter type")
        }
        guard let stretch = stretch(of: call) else { return try .regularError(400, "Invalid limit") }
        var found = SearchResult()
        for type in types.split(separator: ",") {
            let address = "\(call.base)/v1/search?q=\(Self.escape(query))&type=\(type)&"
            func page<Item>(_ list: [Item], _ name: (Item) -> String) -> Page<Item> {
                let hits = list.filter { name($0).localizedStandardContains(query) }
                return Page(of: hits, limit: stretch.limit, offset: stretch.offset, at: address)
            }
            switch type {
            case "track": found.tracks = page(catalogue.tracks) { $0.name }
            case "album": found.albums = page(catalogue.albums) { $0.name }
            case "artist": found.artists = page(catalogue.artists) { $0.name }
            case "playlist": found.playlists = page(catalogue.playlists) { $0.name }
            default: return try .regularError(400, "Bad search type field \(type)")
            }
        }
        return try .json(200, found)
    }

    /// - Returns: `nil` if limit or offset make no sense.
    private func stretch(of call: Call) -> (limit: Int, offset: Int)? {
        guard let limit = Int(call.query["limit"] ?? "20"), let offset = Int(call.query["offset"] ?? "0"),
            (1...50).contains(limit), offset >= 0, offset <= 1000
        else { return nil }
        return (limit, offset)
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
