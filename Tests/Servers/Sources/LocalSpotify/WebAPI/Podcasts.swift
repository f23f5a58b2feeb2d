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
    private var shows: [Show]

    var show: Show? {
        get { shows.first }
        set { shows = newValue.map { [$0] } ?? [] }
    }

    init(_ id: String, _ name: String, of show: Show, _ released: String, milliseconds: Int, resumeAt: Int) {
        (self.id, self.name, durationMs, releaseDate) = (id, name, milliseconds, released)
        (type, uri, shows) = ("episode", "spotify:episode:\(id)", [show])
        resumePoint = ResumePoint(fullyPlayed: resumeAt == milliseconds, resumePositionMs: resumeAt)
    }

    private enum CodingKeys: CodingKey {
        case id, name, durationMs, releaseDate, explicit, isPlayable, type, uri, resumePoint, show
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(durationMs, forKey: .durationMs)
        try container.encode(releaseDate, forKey: .releaseDate)
        try container.encode(explicit, forKey: .explicit)
        try container.encode(isPlayable, forKey: .isPlayable)
        try container.encode(type, forKey: .type)
        try container.encode(uri, forKey: .uri)
        try container.encodeIfPresent(resumePoint, forKey: .resumePoint)
        try container.encodeIfPresent(show, forKey: .show)
    }
}
