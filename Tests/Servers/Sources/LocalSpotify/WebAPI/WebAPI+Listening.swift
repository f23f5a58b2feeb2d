// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What the user has listened to.
extension WebAPI {
    /// `GET /v1/me/player/recently-played`. Its links lead to older plays, or with `after` to newer ones.
    func recentlyPlayed(_ call: Call) throws -> Answer {
        let limit = try stretch(of: call).limit
        let (before, after) = (try cursor("before", in: call), try cursor("after", in: call))
        guard before == nil || after == nil else { throw WebAPIError(400, "Only one of before and after") }
        let address = "\(call.base)/v1/me/player/recently-played?"
        var page = PlayHistoryPage(href: "\(address)limit=\(limit)", limit: limit)
        if let after {
            let newer = player.history.plays.filter { $0.endedAt > after }
            page.items = Array(newer.suffix(limit))
            if newer.count > limit { page.next = page.cursors.map { "\(address)after=\($0.after)&limit=\(limit)" } }
        } else {
            let older = player.history.plays.filter { $0.endedAt < before ?? .max }
            page.items = Array(older.prefix(limit))
            if older.count > limit { page.next = page.cursors.map { "\(address)before=\($0.before)&limit=\(limit)" } }
        }
        return try .json(200, page)
    }

    /// `GET /v1/me/top/{type}`: each time range has its own order.
    func top(_ kind: Route.TopKind, _ call: Call) throws -> Answer {
        let stretch = try stretch(of: call)
        let range = call.query["time_range"] ?? "medium_term"
        let address = "\(call.base)/v1/me/top/\(kind.rawValue)?time_range=\(range)&"
        func page<Item: Encodable & Sendable>(_ all: [Item]) throws -> Answer {
            let order: [Item]
            switch range {
            case "short_term": order = all.reversed()
            case "medium_term": order = all
            case "long_term": order = Array(all.dropFirst() + all.prefix(1))
            default: throw WebAPIError(400, "Invalid time_range")
            }
            return try .json(200, Page(of: order, limit: stretch.limit, offset: stretch.offset, at: address))
        }
        return switch kind {
        case .artists: try page(catalogue.artists)
        case .tracks: try page(catalogue.tracks)
        }
    }

    // MARK: -

    private func cursor(_ name: String, in call: Call) throws -> Int? {
        guard let text = call.query[name] else { return nil }
        guard let cursor = Int(text), cursor >= 0 else { throw WebAPIError(400, "Invalid \(name)") }
        return cursor
    }
}

/// The paging object with cursors. It has no total, and holds `null` if nothing follows.
private struct PlayHistoryPage: Encodable {
    struct Cursors: Encodable {
        let after: String
        let before: String
    }

    let href: String
    let limit: Int
    var items: [PlayHistory.Play] = []
    var next: String?

    /// The newest and the oldest play of the page.
    var cursors: Cursors? {
        guard let newest = items.first, let oldest = items.last else { return nil }
        return Cursors(after: String(newest.endedAt), before: String(oldest.endedAt))
    }

    private enum CodingKeys: CodingKey { case href, limit, items, next, cursors }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(href, forKey: .href)
        try container.encode(limit, forKey: .limit)
        try container.encode(items, forKey: .items)
        try container.encode(next, forKey: .next)
        try container.encode(cursors, forKey: .cursors)
    }
}
