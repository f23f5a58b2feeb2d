// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An episode of a podcast.
public struct Episode: Decodable, Hashable, Sendable {
    /// How far the user has listened.
    public struct ResumePoint: Decodable, Hashable, Sendable {
        public let fullyPlayed: Bool
        /// In milliseconds.
        public let resumePositionMs: Int

        /// The position at which to continue.
        public var position: Duration { .milliseconds(resumePositionMs) }
    }

    public let id: String
    public let name: String
    public let uri: String
    /// In milliseconds.
    public let durationMs: Int
    public let description: String?
    /// As precise as Spotify has it: `1981`, `1981-12` or `1981-12-15`.
    public let releaseDate: String?
    public let explicit: Bool?
    public let isPlayable: Bool?
    public let images: [Artwork]?
    /// Only with the scope `user-read-playback-position`.
    public let resumePoint: ResumePoint?
    /// `nil` if the episode is part of its show.
    public let show: Show?

    /// The duration of the episode.
    public var duration: Duration { .milliseconds(durationMs) }
}
