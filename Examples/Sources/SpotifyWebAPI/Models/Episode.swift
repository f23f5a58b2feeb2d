// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A part of a podcast.
public struct Episode: Decodable, Hashable, Sendable {
    /// How far the user listened.
    public struct ResumePoint: Decodable, Hashable, Sendable {
        public let fullyPlayed: Bool
        /// In milliseconds.
        public let resumePositionMs: Int

        /// Where to go on.
        public var position: Duration { .milliseconds(resumePositionMs) }
    }

    public let id: String
    public let name: String
    public let uri: String
    /// In milliseconds.
    public let durationMs: Int
    public let description: String?
    /// As precise as Spotify knows it: `1981`, `1981-12` or `1981-12-15`.
    public let releaseDate: String?
    public let explicit: Bool?
    public let isPlayable: Bool?
    public let images: [Artwork]?
    /// Only with the scope `user-read-playback-position`.
    public let resumePoint: ResumePoint?
    /// Absent where the episode stands in its show.
    public let show: Show?

    /// Its length.
    public var duration: Duration { .milliseconds(durationMs) }
}
