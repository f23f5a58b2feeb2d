// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SpotifyWebAPI

/// `spotify playlists`.
struct PlaylistsReport: ToolReport {
    struct Entry: Encodable, Sendable {
        let name: String
        let owner: String
        /// The number of items, which Spotify does not give for every playlist.
        let total: Int?
        let isPublic: Bool?
        let uri: String
    }

    let playlists: [Entry]

    init(_ playlists: [Playlist]) {
        self.playlists = playlists.map {
            Entry(
                name: $0.name, owner: $0.owner.displayName ?? $0.owner.id, total: $0.total, isPublic: $0.isPublic,
                uri: $0.uri)
        }
    }

    func encode(to encoder: any Encoder) throws { try playlists.encode(to: encoder) }

    var blocks: [Block] {
        guard !playlists.isEmpty else { return [.line(["There are no playlists."])] }
        return [
            .table(
                ["name", "items", "owner", "uri"],
                playlists.map {
                    [.bold($0.name), Span($0.total.map(String.init) ?? "?"), Span($0.owner), .dim($0.uri)]
                })
        ]
    }
}
