// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What to play.
public struct Playback: Hashable, Sendable {
    /// Where to begin.
    public enum Offset: Hashable, Sendable {
        /// Counted from 0.
        case position(Int)
        /// At the item itself.
        case uri(String)
    }

    let contextURI: String?
    let uris: [String]?
    let offset: Offset?

    /// What was paused.
    public static let resumed = Playback(contextURI: nil, uris: nil, offset: nil)

    /// An album, an artist or a playlist.
    public static func context(_ uri: String, offset: Offset? = nil) -> Playback {
        Playback(contextURI: uri, uris: nil, offset: offset)
    }

    /// These tracks, one after the other.
    public static func uris(_ uris: [String], offset: Offset? = nil) -> Playback {
        Playback(contextURI: nil, uris: uris, offset: offset)
    }
}
