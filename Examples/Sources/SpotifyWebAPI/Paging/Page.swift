// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A part of a list, with the URLs of the parts before and after it.
public struct Page<Item: Decodable & Sendable>: LinkedPage {
    /// Without the items that Spotify could not provide, which are `null` in the answer.
    public let items: [Item]
    /// The number of items in the whole list.
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
