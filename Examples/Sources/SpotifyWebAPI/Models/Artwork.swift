// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A picture, in one of its sizes.
public struct Artwork: Decodable, Hashable, Sendable {
    public let url: URL
    /// In pixels, where Spotify knows it.
    public let height: Int?
    public let width: Int?
}
