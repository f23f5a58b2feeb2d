// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A part of a list that can grow while it is read. Its position and the length of the list are unknown.
public struct CursorPage<Item: Decodable & Sendable>: LinkedPage {
    /// Without the items that Spotify could not provide, which are `null` in the answer.
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
