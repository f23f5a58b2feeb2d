// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// Searches Spotify.
    ///
    /// - Parameters:
    ///   - text: the search text, for instance `artist:Nina year:1964`.
    ///   - kinds: the kinds of items to search for.
    ///   - limit: the number of results per kind. Larger values are limited to ``QuotaMode/searchLimit``.
    ///   - offset: the number of results to skip.
    public func search(
        _ text: String, for kinds: Set<SearchKind> = [.track], limit: Int = 5, offset: Int = 0
    ) async throws -> SearchResult {
        try await answer(to: searchCall(text, kinds, limit: limit, offset: offset))
    }

    /// All tracks that a search finds, page by page.
    public func searchTracks(_ text: String) -> PagedItems<Track> { searchAll(text, .track, \.tracks) }

    /// All albums that a search finds, page by page.
    public func searchAlbums(_ text: String) -> PagedItems<Album> { searchAll(text, .album, \.albums) }

    /// All artists that a search finds, page by page.
    public func searchArtists(_ text: String) -> PagedItems<Artist> { searchAll(text, .artist, \.artists) }

    /// All playlists that a search finds, page by page.
    public func searchPlaylists(_ text: String) -> PagedItems<Playlist> { searchAll(text, .playlist, \.playlists) }

    // MARK: -

    private func searchAll<Item: Decodable & Sendable>(
        _ text: String, _ kind: SearchKind, _ part: any KeyPath<SearchResult, Page<Item>?> & Sendable
    ) -> PagedItems<Item> {
        let part = { @Sendable (result: SearchResult) throws -> Page<Item> in
            guard let page = result[keyPath: part] else { throw UnreadableAnswer(member: "\(kind.rawValue)s") }
            return page
        }
        let call = searchCall(text, [kind], limit: quota.searchLimit, offset: 0)
        return PagedItems {
            try part(try await answer(to: call))
        } following: {
            try part(try await page(at: $0, as: SearchResult.self))
        }
    }

    private func searchCall(_ text: String, _ kinds: Set<SearchKind>, limit: Int, offset: Int) -> WebAPICall {
        WebAPICall(
            path: "/v1/search",
            query: [
                ("q", text), ("type", kinds.map(\.rawValue).sorted().joined(separator: ",")),
                ("limit", String(min(max(limit, 1), quota.searchLimit))), ("offset", String(max(offset, 0))),
            ])
    }
}
