// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A podcast.
struct Show: Encodable, Sendable {
    let id: String
    let name: String
    let description: String
    let explicit = false
    let mediaType = "audio"
    let totalEpisodes: Int
    let type: String
    let uri: String
    /// Only with Extended Quota.
    let publisher: String?
    /// Only if the show itself was requested.
    var episodes: Page<Episode>?

    init(_ id: String, _ name: String, _ description: String, _ count: Int, _ publisher: String?) {
        (self.id, self.name, self.description, totalEpisodes) = (id, name, description, count)
        (type, uri, self.publisher) = ("show", "spotify:show:\(id)", publisher)
    }
}

/// A part of a podcast.
struct Episode: Encodable, Sendable {
    struct ResumePoint: Encodable, Sendable {
        let fullyPlayed: Bool
        let resumePositionMs: Int
    }

    let id: String
    let name: String
    let durationMs: Int
    let releaseDate: String
    let explicit = false
    let isPlayable = true
    let type: String
    let uri: String
    /// Only if the user has allowed it.
    var resumePoint: ResumePoint?
    /// Absent within the show. The shows here have no episodes.
    var show: Show?

    init(_ id: String, _ name: String, of show: Show, _ released: String, milliseconds: Int, resumeAt: Int) {
        (self.id, self.name, durationMs, releaseDate) = (id, name, milliseconds, released)
        (type, uri, self.show) = ("episode", "spotify:episode:\(id)", show)
        resumePoint = ResumePoint(fullyPlayed: resumeAt == milliseconds, resumePositionMs: resumeAt)
    }
}
