// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A playlist, with or without its items.
public struct Playlist: Decodable, Hashable, Sendable {
    public struct Owner: Decodable, Hashable, Sendable {
        public let id: String
        public let displayName: String?
    }

    /// The items of the playlist: `items` in Development Mode, `tracks` with Extended Quota.
    private struct Content: Decodable {
        let total: Int?
    }

    public let id: String
    public let name: String
    public let uri: String
    public let owner: Owner
    public let description: String?
    public let isPublic: Bool?
    public let collaborative: Bool?
    /// The id of this version of the playlist.
    public let snapshotID: String?
    public let images: [Artwork]?
    /// The number of items; `nil` in Development Mode for playlists of other users.
    public let total: Int?
    /// The first items, if the playlist itself was requested.
    public let items: Page<PlaylistItem>?

    private enum CodingKeys: String, CodingKey {
        case id, name, uri, owner, description, collaborative, images, items, tracks
        case isPublic = "public"
        case snapshotID = "snapshotId"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        uri = try container.decode(String.self, forKey: .uri)
        owner = try container.decode(Owner.self, forKey: .owner)
        description = try container.decodeIfPresent(String.self, forKey: .description)
        isPublic = try container.decodeIfPresent(Bool.self, forKey: .isPublic)
        collaborative = try container.decodeIfPresent(Bool.self, forKey: .collaborative)
        snapshotID = try container.decodeIfPresent(String.self, forKey: .snapshotID)
        images = try container.decodeIfPresent([Artwork].self, forKey: .images)
        let key: CodingKeys = try container.decodeIfPresent(Content.self, forKey: .items) == nil ? .tracks : .items
        total = try container.decodeIfPresent(Content.self, forKey: key)?.total
        // In a summary this is an object with a URL and a number, without items.
        let inner = try? container.nestedContainer(keyedBy: CodingKeys.self, forKey: key)
        items = inner?.contains(.items) == true ? try container.decode(Page<PlaylistItem>.self, forKey: key) : nil
    }
}
