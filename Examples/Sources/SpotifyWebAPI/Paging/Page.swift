// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A stretch of a list, with the addresses of its neighbours.
public struct Page<Item: Decodable & Sendable>: LinkedPage {
    /// Without what Spotify could not show: it writes `null` there.
    public let items: [Item]
    /// How many there are in the whole list.
    public let total: Int
    public let limit: Int
    public let offset: Int
    public let next: URL?
    public let previous: URL?

    private enum CodingKeys: CodingKey { case items, total, limit, offset, next, previous }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        items = try container.decode([Item?].self, forKey: .items).compactMap(\.self)
        total = try container.decode(Int.self, forKey: .total)
        limit = try container.decodeIfPresent(Int.self, forKey: .limit) ?? items.count
        offset = try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0
        next = try container.decodeIfPresent(URL.self, forKey: .next)
        previous = try container.decodeIfPresent(URL.self, forKey: .previous)
    }
}

extension Page: Equatable where Item: Equatable {}
extension Page: Hashable where Item: Hashable {}
