// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A podcast.
public struct Show: Decodable, Hashable, Sendable {
    public let id: String
    public let name: String
    public let uri: String
    public let description: String?
    public let explicit: Bool?
    public let images: [Artwork]?
    public let totalEpisodes: Int?
    /// The first episodes, if the show itself was requested.
    public let episodes: Page<Episode>?
    /// Only with Extended Quota.
    public let publisher: String?
}
