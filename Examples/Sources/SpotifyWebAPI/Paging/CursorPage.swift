// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A stretch of a list that grows while it is read: it knows neither its place nor how long the list is.
public struct CursorPage<Item: Decodable & Sendable>: LinkedPage {
    /// Without what Spotify could not show: it writes `null` there.
    public let items: [Item]
    public let next: URL?

    private enum CodingKeys: CodingKey { case items, next }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        items = try container.decode([Item?].self, forKey: .items).compactMap(\.self)
        next = try container.decodeIfPresent(URL.self, forKey: .next)
    }
}

extension CursorPage: Equatable where Item: Equatable {}
extension CursorPage: Hashable where Item: Hashable {}
