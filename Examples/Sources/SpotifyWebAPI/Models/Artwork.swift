// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An image in one size.
public struct Artwork: Decodable, Hashable, Sendable {
    public let url: URL
    /// In pixels, if Spotify has it.
    public let height: Int?
    public let width: Int?
}
