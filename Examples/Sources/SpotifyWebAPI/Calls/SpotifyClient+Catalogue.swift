// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// - Parameter id: the last part of `spotify:track:ID`.
    public func track(_ id: String) async throws -> Track { try await answer(to: Self.item("tracks", id)) }

    /// - Parameter id: the last part of `spotify:album:ID`.
    public func album(_ id: String) async throws -> Album { try await answer(to: Self.item("albums", id)) }

    /// - Parameter id: the last part of `spotify:artist:ID`.
    public func artist(_ id: String) async throws -> Artist { try await answer(to: Self.item("artists", id)) }

    /// The tracks of an album.
    public func tracks(ofAlbum id: String) -> PagedItems<Track> { paged(Self.item("albums", id, "/tracks")) }

    /// The albums of an artist.
    public func albums(ofArtist id: String) -> PagedItems<Album> { paged(Self.item("artists", id, "/albums")) }

    static func item(_ kind: String, _ id: String, _ rest: String = "") -> WebAPICall {
        WebAPICall(path: "/v1/\(kind)/\(WebAPICall.escape(id))\(rest)")
    }
}
