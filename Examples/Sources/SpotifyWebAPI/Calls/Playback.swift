// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What to play.
public struct Playback: Hashable, Sendable {
    /// The first item to play.
    public enum Offset: Hashable, Sendable {
        /// The position of the item, counted from 0.
        case position(Int)
        /// The URI of the item.
        case uri(String)
    }

    let contextURI: String?
    let uris: [String]?
    let offset: Offset?

    /// Resumes what was paused.
    public static let resumed = Playback(contextURI: nil, uris: nil, offset: nil)

    /// An album, an artist or a playlist.
    public static func context(_ uri: String, offset: Offset? = nil) -> Playback {
        Playback(contextURI: uri, uris: nil, offset: offset)
    }

    /// These tracks, in this order.
    public static func uris(_ uris: [String], offset: Offset? = nil) -> Playback {
        Playback(contextURI: nil, uris: uris, offset: offset)
    }
}
