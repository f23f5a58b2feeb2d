// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A user of Spotify.
///
/// In Development Mode only the names are present. With Extended Quota `email` needs the scope `user-read-email`, and
/// `country` and `product` need `user-read-private`.
public struct User: Decodable, Hashable, Sendable {
    public let id: String
    public let uri: String
    public let displayName: String?
    public let images: [Artwork]?
    /// Spotify does not verify that it is the user's own.
    public let email: String?
    /// Two letters (ISO 3166-1).
    public let country: String?
    /// The subscription, for instance `premium`.
    public let product: String?
    public let followers: Followers?
}
