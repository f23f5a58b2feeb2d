// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The user's library, newest first.
extension WebAPI {
    /// `PUT` and `DELETE /v1/me/library`, with the items in the query or in the body.
    mutating func changeLibrary(_ call: Call, isSaved: Bool, _ grant: Grant, at now: Date) throws -> Answer {
        let uris = try uris(of: call)
        try require(Set(uris.map { Self.scope(of: $0) }), of: grant)
        try change(uris, isSaved: isSaved, at: now)
        return Answer(status: 200)
    }

    /// `GET /v1/me/library/contains`.
    func contains(_ call: Call) throws -> Answer {
        try .json(200, try uris(of: call).map { uri in saved.contains { $0.uri == uri } })
    }

    /// `PUT` and `DELETE /v1/me/tracks` and the like, as before February 2026.
    mutating func change(_ resource: Route.Resource, _ call: Call, isSaved: Bool, at now: Date) throws -> Answer {
        struct Body: Decodable { let ids: [String] }
        let ids: [String] =
            if let list = call.query["ids"] { list.split(separator: ",").map(String.init) } else {
                try decode(call, as: Body.self).ids
            }
        guard (1...50).contains(ids.count) else { throw WebAPIError(400, "Invalid ids") }
        try change(ids.map { "spotify:\(resource.kind):\($0)" }, isSaved: isSaved, at: now)
        return Answer(status: 200)
    }

    /// `GET /v1/me/tracks` and the like.
    func listSaved(_ resource: Route.Resource, _ call: Call) throws -> Answer {
        let stretch = try stretch(of: call)
        let items = saved.filter { $0.uri.hasPrefix("spotify:\(resource.kind):") }.map { item in
            SavedItem(
                addedAt: item.addedAt.formatted(.iso8601), track: catalogue.track(uri: item.uri),
                album: catalogue.albums.first { $0.uri == item.uri },
                show: catalogue.shows.first { $0.uri == item.uri })
        }
        let address = "\(call.base)/v1/me/\(resource.rawValue)?"
        return try .json(200, Page(of: items, limit: stretch.limit, offset: stretch.offset, at: address))
    }

    // MARK: -

    private func uris(of call: Call) throws -> [String] {
        struct Body: Decodable { let uris: [String] }
        let uris: [String] =
            if let list = call.query["uris"] { list.split(separator: ",").map(String.init) } else {
                try decode(call, as: Body.self).uris
            }
        guard (1...40).contains(uris.count) else { throw WebAPIError(400, "Invalid uris") }
        return uris
    }

    private mutating func change(_ uris: [String], isSaved: Bool, at now: Date) throws {
        guard uris.allSatisfy({ $0.split(separator: ":").count == 3 && $0.hasPrefix("spotify:") }) else {
            throw WebAPIError(400, "Invalid uri")
        }
        let known = Set(saved.map(\.uri))
        if isSaved {
            saved.insert(contentsOf: uris.filter { !known.contains($0) }.map { Saved(uri: $0, addedAt: now) }, at: 0)
        } else {
            saved.removeAll { uris.contains($0.uri) }
        }
    }

    private static func scope(of uri: String) -> String {
        switch uri.split(separator: ":").dropFirst().first {
        case "playlist": "playlist-modify-public"
        case "artist", "user": "user-follow-modify"
        default: "user-library-modify"
        }
    }
}

private struct SavedItem: Encodable, Sendable {
    let addedAt: String
    let track: Track?
    let album: Album?
    let show: Show?
}
