// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The state of the player.
public struct PlaybackState: Decodable, Hashable, Sendable {
    public let device: Device?
    public let isPlaying: Bool
    /// `nil` while an advertisement is playing, or something that Spotify does not describe.
    public let item: PlayableItem?
    /// In milliseconds.
    public let progressMs: Int?
    /// The playlist, album or artist that is playing.
    public let context: PlaybackContext?
    public let shuffleState: Bool?
    public let repeatState: RepeatMode?
    /// `track`, `episode`, `ad` or `unknown`.
    public let currentlyPlayingType: String?

    /// The position in the item.
    public var progress: Duration? { progressMs.map { .milliseconds($0) } }
}

/// The playlist, album or artist of an item that is playing.
public struct PlaybackContext: Decodable, Hashable, Sendable {
    public let type: String
    public let uri: String
}
