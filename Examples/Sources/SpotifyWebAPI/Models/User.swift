// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Somebody on Spotify.
///
/// In Development Mode nothing but the names is left; elsewhere `email` wants the scope `user-read-email`, and `country` and
/// `product` want `user-read-private`.
public struct User: Decodable, Hashable, Sendable {
    public let id: String
    public let uri: String
    public let displayName: String?
    public let images: [Artwork]?
    /// Not checked by Spotify to be the user's own.
    public let email: String?
    /// Two letters (ISO 3166-1).
    public let country: String?
    /// The subscription, for instance `premium`.
    public let product: String?
    public let followers: Followers?
}
