// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A playlist in answers. Its items are named `items` in Development Mode, `tracks` with Extended Quota.
struct Playlist: Encodable, Sendable {
    struct Owner: Encodable, Sendable {
        let id: String
        let displayName = "Local Listener"
        let type = "user"
    }
    struct Summary: Encodable, Sendable {
        let href: String
        let total: Int
    }

    let id: String
    let name: String
    let description: String
    let owner: Owner
    let isPublic: Bool
    let snapshotID: String
    let key: String
    let summary: Summary
    let items: Page<PlaylistItem>?

    /// - Parameter withItems: whether the playlist itself was requested.
    init(_ playlist: StoredPlaylist, owner: String, mode: LocalSpotify.Mode, base: String, withItems: Bool = false) {
        (id, name, description) = (playlist.id, playlist.name, playlist.description)
        (isPublic, snapshotID, self.owner) = (playlist.isPublic, playlist.snapshotID, Owner(id: owner))
        key = mode == .developmentMode ? "items" : "tracks"
        let address = "\(base)/v1/playlists/\(playlist.id)/\(key)"
        summary = Summary(href: address, total: playlist.items.count)
        let all = playlist.items.map { PlaylistItem($0, mode: mode) }
        items = withItems ? Page(of: all, limit: 100, offset: 0, at: address + "?") : nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(id, forKey: "id")
        try container.encode(name, forKey: "name")
        try container.encode(description, forKey: "description")
        try container.encode(owner, forKey: "owner")
        try container.encode(isPublic, forKey: "public")
        try container.encode(false, forKey: "collaborative")
        try container.encode(snapshotID, forKey: "snapshotId")
        try container.encode("playlist", forKey: "type")
        try container.encode("spotify:playlist:\(id)", forKey: "uri")
        if let items {
            try container.encode(items, forKey: AnyKey(key))
        } else {
            try container.encode(summary, forKey: AnyKey(key))
        }
    }
}

/// An item of a playlist: named `item` in Development Mode, `track` with Extended Quota.
struct PlaylistItem: Encodable, Sendable {
    private let stored: StoredPlaylist.Item
    private let key: String

    init(_ stored: StoredPlaylist.Item, mode: LocalSpotify.Mode) {
        self.stored = stored
        key = mode == .developmentMode ? "item" : "track"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(stored.addedAt.formatted(.iso8601), forKey: "addedAt")
        try container.encode(false, forKey: "isLocal")
        try container.encode(stored.track, forKey: AnyKey(key))
    }
}

/// A key that is known only at run time.
private struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringLiteral name: String) { stringValue = name }
    init(stringValue name: String) { stringValue = name }
    init?(intValue: Int) { nil }
}
