// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SpotifyWebAPI

/// `spotify search`: the results, grouped by kind.
struct SearchReport: ToolReport {
    struct Hit: Encodable, Sendable {
        let kind: String
        let name: String
        /// The artists, or the owner of a playlist.
        let by: [String]
        let uri: String?
    }

    let hits: [Hit]

    init(_ result: SearchResult) {
        let tracks = (result.tracks?.items ?? []).map {
            Hit(kind: "track", name: $0.name, by: ($0.artists ?? []).map(\.name), uri: $0.uri)
        }
        let albums = (result.albums?.items ?? []).map {
            Hit(kind: "album", name: $0.name, by: ($0.artists ?? []).map(\.name), uri: $0.uri)
        }
        let artists = (result.artists?.items ?? []).map { Hit(kind: "artist", name: $0.name, by: [], uri: $0.uri) }
        let playlists = (result.playlists?.items ?? []).map {
            Hit(kind: "playlist", name: $0.name, by: [$0.owner.displayName ?? $0.owner.id], uri: $0.uri)
        }
        hits = tracks + albums + artists + playlists
    }

    func encode(to encoder: any Encoder) throws { try hits.encode(to: encoder) }

    var blocks: [Block] {
        guard !hits.isEmpty else { return [.line(["Nothing was found."])] }
        return [
            .table(
                ["kind", "name", "by", "uri"],
                hits.map { [Span($0.kind), .bold($0.name), Span($0.by.joined(separator: ", ")), .dim($0.uri ?? "")] })
        ]
    }
}
