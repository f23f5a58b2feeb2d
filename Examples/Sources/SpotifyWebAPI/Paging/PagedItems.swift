// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The items of a list, page by page; the next page is fetched when an item of it is asked for.
///
///     for try await playlist in spotify.playlists() { print(playlist.name) }
///     let twenty = try await spotify.savedTracks().prefix(20).reduce(into: []) { $0.append($1) }
///
/// Each iteration begins anew. It ends when the task is cancelled.
public struct PagedItems<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    private let first: @Sendable () async throws -> Page<Item>
    private let following: @Sendable (URL) async throws -> Page<Item>

    init(
        first: @escaping @Sendable () async throws -> Page<Item>,
        following: @escaping @Sendable (URL) async throws -> Page<Item>
    ) {
        (self.first, self.following) = (first, following)
    }

    /// The pages instead of the items.
    public var pages: Pages { Pages(first: first, following: following) }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages.Iterator
        private var items: ArraySlice<Item> = []

        fileprivate init(pages: Pages.Iterator) { self.pages = pages }

        /// - Throws: what the call throws; `CancellationError`.
        public mutating func next() async throws -> Item? {
            while items.isEmpty {
                guard let page = try await pages.next() else { return nil }
                items = page.items[...]
            }
            return items.popFirst()
        }
    }

    /// The pages of a list in order.
    public struct Pages: AsyncSequence, Sendable {
        fileprivate let first: @Sendable () async throws -> Page<Item>
        fileprivate let following: @Sendable (URL) async throws -> Page<Item>

        public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let pages: Pages
            private var visited: Set<URL> = []
            private var link: URL?
            private var hasBegun = false

            fileprivate init(pages: Pages) { self.pages = pages }

            /// - Throws: what the call throws; `CancellationError`.
            public mutating func next() async throws -> Page<Item>? {
                try Task.checkCancellation()
                let page: Page<Item>
                if !hasBegun {
                    page = try await pages.first()
                } else if let link, visited.insert(link).inserted {  // A link that leads back would have no end.
                    page = try await pages.following(link)
                } else {
                    return nil
                }
                (hasBegun, link) = (true, page.next)
                return page
            }
        }
    }
}

extension SpotifyClient {
    /// The items of a list whose answers are pages.
    func paged<Item: Decodable & Sendable>(_ call: WebAPICall, of type: Item.Type = Item.self) -> PagedItems<Item> {
        PagedItems {
            try await answer(to: call)
        } following: {
            try await page(at: $0, as: Page<Item>.self)
        }
    }
}
