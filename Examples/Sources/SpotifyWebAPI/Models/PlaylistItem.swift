// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An item of a playlist.
public struct PlaylistItem: Decodable, Hashable, Sendable {
    public let addedAt: Date?
    public let isLocal: Bool?
    /// `nil` if Spotify no longer has it. Named `item` in Development Mode, `track` with Extended Quota.
    public let item: PlayableItem?

    private enum CodingKeys: CodingKey { case addedAt, isLocal, item, track }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        addedAt = try container.decodeIfPresent(Date.self, forKey: .addedAt)
        isLocal = try container.decodeIfPresent(Bool.self, forKey: .isLocal)
        item =
            try container.decodeIfPresent(PlayableItem.self, forKey: .item)
            ?? container.decodeIfPresent(PlayableItem.self, forKey: .track)
    }
}
