// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SpotifyWebAPI

/// The parts of a track or an episode that the views show.
public struct NowPlaying: Hashable, Sendable {
    public let title: String
    /// The artists of a track, or the show of an episode.
    public let makers: String
    public let isPlaying: Bool
    /// From 0 to 1.
    public let progress: Double

    /// - Returns: `nil` while an advertisement is playing.
    init?(_ playback: PlaybackState) {
        guard let item = playback.item else { return nil }
        title = item.name
        makers = item.makers.joined(separator: ", ")
        isPlaying = playback.isPlaying
        let share = (playback.progress ?? .zero) / max(item.duration, .milliseconds(1))
        progress = min(max(share, 0), 1)
    }
}
