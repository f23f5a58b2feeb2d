// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An album, a single or a compilation.
public struct Album: Decodable, Hashable, Sendable {
    /// `nil` for the user's own files.
    public let id: String?
    public let name: String
    public let uri: String?
    public let albumType: String?
    public let artists: [Artist]?
    public let images: [Artwork]?
    /// As precise as Spotify has it: `1981`, `1981-12` or `1981-12-15`.
    public let releaseDate: String?
    public let totalTracks: Int?
    /// The first tracks, if the album itself was requested.
    public let tracks: Page<Track>?
    /// Only with Extended Quota.
    public let label: String?
    /// From 0 to 100; only with Extended Quota.
    public let popularity: Int?
}
