// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The results of a search, with a page for each kind.
public struct SearchResult: Decodable, Hashable, Sendable {
    public let tracks: Page<Track>?
    public let albums: Page<Album>?
    public let artists: Page<Artist>?
    public let playlists: Page<Playlist>?
}

/// The kinds of items to search for.
public enum SearchKind: String, CaseIterable, Hashable, Sendable {
    case track, album, artist, playlist
}
