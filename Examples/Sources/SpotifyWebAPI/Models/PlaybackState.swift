// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What is playing, where and how.
public struct PlaybackState: Decodable, Hashable, Sendable {
    public let device: Device?
    public let isPlaying: Bool
    /// Absent while an advertisement is playing.
    public let item: PlayableItem?
    /// In milliseconds.
    public let progressMs: Int?
    /// Where the item comes from: a playlist, an album, an artist.
    public let context: PlaybackContext?
    public let shuffleState: Bool?
    public let repeatState: RepeatMode?
    /// `track`, `episode`, `ad` or `unknown`.
    public let currentlyPlayingType: String?

    /// How far into the item.
    public var progress: Duration? { progressMs.map { .milliseconds($0) } }
}

/// Where what is playing comes from.
public struct PlaybackContext: Decodable, Hashable, Sendable {
    public let type: String
    public let uri: String
}
