// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The items of a list, page by page. The next page is fetched when its first item is requested.
///
///     for try await playlist in spotify.playlists() { print(playlist.name) }
///     let twenty = try await spotify.savedTracks().prefix(20).reduce(into: []) { $0.append($1) }
///
/// Each iteration starts from the beginning. It ends when the task is cancelled. Most lists are ``PagedItems``.
public struct LinkedItems<Linked: LinkedPage>: AsyncSequence, Sendable {
    public typealias Item = Linked.Item

    private let first: @Sendable () async throws -> Linked
    private let following: @Sendable (URL) async throws -> Linked

    init(
        first: @escaping @Sendable () async throws -> Linked,
        following: @escaping @Sendable (URL) async throws -> Linked
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

        /// - Throws: the errors of the call; `CancellationError`.
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
        fileprivate let first: @Sendable () async throws -> Linked
        fileprivate let following: @Sendable (URL) async throws -> Linked

        public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let pages: Pages
            private var visited: Set<URL> = []
            private var link: URL?
            private var hasBegun = false

            fileprivate init(pages: Pages) { self.pages = pages }

            /// - Throws: the errors of the call; `CancellationError`.
            public mutating func next() async throws -> Linked? {
                try Task.checkCancellation()
                let page: Linked
                if !hasBegun {
                    page = try await pages.first()
                } else if let link, visited.insert(link).inserted {  // A link to an earlier page would loop for ever.
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

/// The items of a list whose pages contain their position and the length of the list.
public typealias PagedItems<Item: Decodable & Sendable> = LinkedItems<Page<Item>>

extension SpotifyClient {
    /// The items of a list whose answers are pages.
    func linked<Linked: LinkedPage>(_ call: WebAPICall) -> LinkedItems<Linked> {
        LinkedItems {
            try await answer(to: call)
        } following: {
            try await page(at: $0, as: Linked.self)
        }
    }

    /// The same for the usual pages.
    func paged<Item: Decodable & Sendable>(_ call: WebAPICall, of type: Item.Type = Item.self) -> PagedItems<Item> {
        linked(call)
    }
}
