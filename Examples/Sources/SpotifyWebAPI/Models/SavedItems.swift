// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A track in the user's library.
public struct SavedTrack: Decodable, Hashable, Sendable {
    public let addedAt: Date
    public let track: Track
}

/// A show in the user's library.
public struct SavedShow: Decodable, Hashable, Sendable {
    public let addedAt: Date
    public let show: Show
}

/// An album in the user's library.
public struct SavedAlbum: Decodable, Hashable, Sendable {
    public let addedAt: Date
    public let album: Album
}
