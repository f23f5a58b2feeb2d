// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An artist.
public struct Artist: Decodable, Hashable, Sendable {
    /// `nil` for the user's own files.
    public let id: String?
    public let name: String
    public let uri: String?
    public let genres: [String]?
    public let images: [Artwork]?
    /// Only with Extended Quota.
    public let followers: Followers?
    /// From 0 to 100; only with Extended Quota.
    public let popularity: Int?
}
