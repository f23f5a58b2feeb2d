// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An item that can be played.
public enum PlayableItem: Decodable, Hashable, Sendable {
    case track(Track)
    case episode(Episode)

    private enum CodingKeys: CodingKey { case type }

    public init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .type)
        self = type == "episode" ? .episode(try Episode(from: decoder)) : .track(try Track(from: decoder))
    }

    public var name: String {
        switch self {
        case .track(let track): track.name
        case .episode(let episode): episode.name
        }
    }

    public var uri: String {
        switch self {
        case .track(let track): track.uri
        case .episode(let episode): episode.uri
        }
    }

    public var duration: Duration {
        switch self {
        case .track(let track): track.duration
        case .episode(let episode): episode.duration
        }
    }

    /// The artists of a track, or the show of an episode.
    public var makers: [String] {
        switch self {
        case .track(let track): (track.artists ?? []).map(\.name)
        case .episode(let episode): [episode.show?.name].compactMap(\.self)
        }
    }
}
