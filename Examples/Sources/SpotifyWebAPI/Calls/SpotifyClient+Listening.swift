// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// The last tracks that the user has played, at most fifty. Needs the scope `user-read-recently-played`.
    ///
    /// A track counts when it has ended and was played for more than 30 seconds. Episodes are not included.
    ///
    /// - Parameters:
    ///   - range: the part of the history; by default all, newest first. With `after`, the tracks of a page are newest
    ///     first, and the next page is newer.
    ///   - pageSize: the number of tracks per page, from 1 to 50. Other values are limited to this range.
    public func recentlyPlayed(
        _ range: PlayHistoryRange? = nil, pageSize: Int = 20
    ) -> LinkedItems<CursorPage<PlayedTrack>> {
        var call = WebAPICall(
            path: "/v1/me/player/recently-played", query: [("limit", String(min(max(pageSize, 1), 50)))],
            scopes: .all([.userReadRecentlyPlayed]))
        switch range {
        case .before(let date): call.query.append(("before", date.cursor))
        case .after(let date): call.query.append(("after", date.cursor))
        case nil: break
        }
        return linked(call)
    }

    /// The tracks that the user likes best. Needs the scope `user-top-read`.
    public func topTracks(over range: TimeRange = .mediumTerm) -> PagedItems<Track> { top("tracks", range) }

    /// The artists that the user likes best. Needs the scope `user-top-read`.
    public func topArtists(over range: TimeRange = .mediumTerm) -> PagedItems<Artist> { top("artists", range) }

    // MARK: -

    private func top<Item: Decodable & Sendable>(_ kind: String, _ range: TimeRange) -> PagedItems<Item> {
        paged(
            WebAPICall(
                path: "/v1/me/top/\(kind)", query: [("time_range", range.rawValue)], scopes: .all([.userTopRead])))
    }
}

extension Date {
    /// In milliseconds since 1970.
    fileprivate var cursor: String { String(Int((timeIntervalSince1970 * 1000).rounded())) }
}
