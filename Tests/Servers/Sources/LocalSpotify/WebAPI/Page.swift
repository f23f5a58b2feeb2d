// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The paging object: a part of a list, with the URLs of the parts before and after it.
struct Page<Item: Encodable & Sendable>: Encodable, Sendable {
    let href: String
    let items: [Item]
    let limit: Int
    let offset: Int
    let total: Int
    let next: String?
    let previous: String?

    /// - Parameter address: the URL of the list before `offset` and `limit`, ending in `?` or `&`.
    init(of list: [Item], limit: Int, offset: Int, at address: String) {
        func link(_ offset: Int) -> String { "\(address)offset=\(offset)&limit=\(limit)" }
        items = Array(list.dropFirst(offset).prefix(limit))
        (self.limit, self.offset, total, href) = (limit, offset, list.count, link(offset))
        next = offset + limit < list.count ? link(offset + limit) : nil
        previous = offset > 0 ? link(max(0, offset - limit)) : nil
    }

    enum CodingKeys: CodingKey { case href, items, limit, offset, total, next, previous }

    /// Written by hand because Spotify writes `null` for a missing neighbour.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(href, forKey: .href)
        try container.encode(items, forKey: .items)
        try container.encode(limit, forKey: .limit)
        try container.encode(offset, forKey: .offset)
        try container.encode(total, forKey: .total)
        try container.encode(next, forKey: .next)
        try container.encode(previous, forKey: .previous)
    }
}
