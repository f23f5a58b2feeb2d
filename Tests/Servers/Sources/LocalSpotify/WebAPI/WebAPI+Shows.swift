// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Podcasts. They are available to a user, or in the market that the call names.
extension WebAPI {
    func show(_ id: String, _ call: Call, _ grant: Grant) throws -> Answer {
        var show = try findShow(id, call, grant)
        let address = "\(call.base)/v1/shows/\(id)/episodes?"
        show.episodes = Page(of: episodes(of: show, grant), limit: 50, offset: 0, at: address)
        return try .json(200, show)
    }

    func showEpisodes(_ id: String, _ call: Call, _ grant: Grant) throws -> Answer {
        let stretch = try stretch(of: call)
        let all = episodes(of: try findShow(id, call, grant), grant)
        let market = call.query["market"].map { "market=\($0)&" } ?? ""
        let address = "\(call.base)/v1/shows/\(id)/episodes?\(market)"
        return try .json(200, Page(of: all, limit: stretch.limit, offset: stretch.offset, at: address))
    }

    func episode(_ id: String, _ call: Call, _ grant: Grant) throws -> Answer {
        try checkMarket(of: call, grant)
        guard let episode = catalogue.episodes.first(where: { $0.id == id }) else {
            throw WebAPIError(404, "Resource not found")
        }
        return try .json(200, Self.episode(episode, for: grant))
    }

    // MARK: -

    private func findShow(_ id: String, _ call: Call, _ grant: Grant) throws -> Show {
        try checkMarket(of: call, grant)
        guard let show = catalogue.shows.first(where: { $0.id == id }) else {
            throw WebAPIError(404, "Resource not found")
        }
        return show
    }

    /// Without the show, which contains them.
    private func episodes(of show: Show, _ grant: Grant) -> [Episode] {
        catalogue.episodes.filter { $0.show?.id == show.id }.map { episode in
            var episode = Self.episode(episode, for: grant)
            episode.show = nil
            return episode
        }
    }

    private static func episode(_ episode: Episode, for grant: Grant) -> Episode {
        var episode = episode
        if !grant.hasUser || !grant.scopes.contains("user-read-playback-position") { episode.resumePoint = nil }
        return episode
    }

    /// Spotify: "If neither market or user country are provided, the content is considered unavailable".
    private func checkMarket(of call: Call, _ grant: Grant) throws {
        if let market = call.query["market"], market.wholeMatch(of: /[A-Z]{2}/) == nil {
            throw WebAPIError(400, "Invalid market code")
        }
        guard grant.hasUser || call.query["market"] != nil else { throw WebAPIError(404, "Resource not found") }
    }
}
