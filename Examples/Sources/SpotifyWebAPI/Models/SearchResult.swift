// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a search found, a page for each kind that was asked for.
public struct SearchResult: Decodable, Hashable, Sendable {
    public let tracks: Page<Track>?
    public let albums: Page<Album>?
    public let artists: Page<Artist>?
    public let playlists: Page<Playlist>?
}

/// What can be searched for.
public enum SearchKind: String, CaseIterable, Hashable, Sendable {
    case track, album, artist, playlist
}
