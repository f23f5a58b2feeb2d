// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Podcasts. How far the user listened is told with the scope `user-read-playback-position` only.
///
/// Spotify knows the country of a user. A client without a user names one; else nothing is found.
extension SpotifyClient {
    /// - Parameters:
    ///   - id: as it stands in `spotify:show:ID`.
    ///   - market: a country, in two letters (ISO 3166-1); that of the user counts more.
    public func show(_ id: String, market: String? = nil) async throws -> Show {
        try await answer(to: Self.item("shows", id).inMarket(market))
    }

    /// The episodes of a show, the newest first.
    ///
    /// - Parameters:
    ///   - id: as it stands in `spotify:show:ID`.
    ///   - market: a country, in two letters (ISO 3166-1); that of the user counts more.
    public func episodes(ofShow id: String, market: String? = nil) -> PagedItems<Episode> {
        paged(Self.item("shows", id, "/episodes").inMarket(market))
    }

    /// - Parameters:
    ///   - id: as it stands in `spotify:episode:ID`.
    ///   - market: a country, in two letters (ISO 3166-1); that of the user counts more.
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
