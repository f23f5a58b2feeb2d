// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Podcasts. The position at which the user stopped listening needs the scope `user-read-playback-position`.
///
/// Spotify knows the country of a user. A client without a user must name a market, or nothing is found.
extension SpotifyClient {
    /// - Parameters:
    ///   - id: the last part of `spotify:show:ID`.
    ///   - market: a country in two letters (ISO 3166-1). The country of the user takes precedence.
    public func show(_ id: String, market: String? = nil) async throws -> Show {
        try await answer(to: Self.item("shows", id).inMarket(market))
    }

    /// The episodes of a show, newest first.
    ///
    /// - Parameters:
    ///   - id: the last part of `spotify:show:ID`.
    ///   - market: a country in two letters (ISO 3166-1). The country of the user takes precedence.
    public func episodes(ofShow id: String, market: String? = nil) -> PagedItems<Episode> {
        paged(Self.item("shows", id, "/episodes").inMarket(market))
    }

    /// - Parameters:
    ///   - id: the last part of `spotify:episode:ID`.
    ///   - market: a country in two letters (ISO 3166-1). The country of the user takes precedence.
    public func episode(_ id: String, market: String? = nil) async throws -> Episode {
        try await answer(to: Self.item("episodes", id).inMarket(market))
    }
}

extension WebAPICall {
    fileprivate func inMarket(_ market: String?) -> WebAPICall {
        guard let market else { return self }
        var call = self
        call.query.append(("market", market))
        return call
    }
}
