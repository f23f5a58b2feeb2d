// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A track that the user has played.
public struct PlayedTrack: Decodable, Hashable, Sendable {
    public let track: Track
    /// In milliseconds, so that it can be a cursor of ``PlayHistoryRange``.
    public let playedAt: Date
    /// The playlist, album or artist from which the track was played.
    public let context: PlaybackContext?

    private enum CodingKeys: CodingKey { case track, playedAt, context }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        track = try container.decode(Track.self, forKey: .track)
        playedAt = try Self.date(container.decode(String.self, forKey: .playedAt), in: container)
        context = try container.decodeIfPresent(PlaybackContext.self, forKey: .context)
    }

    /// Unlike Spotify's other times it has fractions of a second. Earlier versions of Foundation parse them only with
    /// an option.
    private static func date(_ text: String, in container: KeyedDecodingContainer<CodingKeys>) throws -> Date {
        let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        if let date = (try? precise.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) { return date }
        throw DecodingError.dataCorruptedError(
            forKey: .playedAt, in: container, debugDescription: "not an ISO 8601 time")
    }
}
