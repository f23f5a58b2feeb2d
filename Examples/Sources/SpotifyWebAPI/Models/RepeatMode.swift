// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the player repeats.
public struct RepeatMode: RawRepresentable, Decodable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Stops after the last track.
    public static let off = RepeatMode(rawValue: "off")
    /// The current track again and again.
    public static let track = RepeatMode(rawValue: "track")
    /// The album, the playlist or what else is playing.
    public static let context = RepeatMode(rawValue: "context")
}
