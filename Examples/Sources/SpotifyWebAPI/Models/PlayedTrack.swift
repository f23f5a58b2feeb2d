// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A track that the user heard.
public struct PlayedTrack: Decodable, Hashable, Sendable {
    public let track: Track
    /// Precise to the millisecond, and so a cursor of ``PlayHistoryRange``.
    public let playedAt: Date
    /// Where the track came from: a playlist, an album, an artist.
    public let context: PlaybackContext?

    private enum CodingKeys: CodingKey { case track, playedAt, context }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        track = try container.decode(Track.self, forKey: .track)
        playedAt = try Self.date(container.decode(String.self, forKey: .playedAt), in: container)
        context = try container.decodeIfPresent(PlaybackContext.self, forKey: .context)
    }

    /// Unlike other times of Spotify this one has fractions of a second, which earlier versions of Foundation refuse unless
    /// they are told.
    private static func date(_ text: String, in container: KeyedDecodingContainer<CodingKeys>) throws -> Date {
        let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        if let date = (try? precise.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) { return date }
        throw DecodingError.dataCorruptedError(forKey: .playedAt, in: container, debugDescription: "not in ISO 8601")
    }
}
