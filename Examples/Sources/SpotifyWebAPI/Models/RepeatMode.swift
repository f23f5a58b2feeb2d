// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the player repeats.
public struct RepeatMode: RawRepresentable, Decodable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Stops after the last track.
    public static let off = RepeatMode(rawValue: "off")
    /// Repeats the current track.
    public static let track = RepeatMode(rawValue: "track")
    /// Repeats the album, the playlist or the other context.
    public static let context = RepeatMode(rawValue: "context")
}
