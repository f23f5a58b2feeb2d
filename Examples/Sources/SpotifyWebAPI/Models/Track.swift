// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A piece of music.
public struct Track: Decodable, Hashable, Sendable {
    /// `nil` for the user's own files.
    public let id: String?
    public let name: String
    public let uri: String
    public let artists: [Artist]?
    /// `nil` if the track is part of its album.
    public let album: Album?
    /// In milliseconds.
    public let durationMs: Int
    public let explicit: Bool?
    public let isPlayable: Bool?
    public let isLocal: Bool?
    public let trackNumber: Int?
    /// From 0 to 100; only with Extended Quota.
    public let popularity: Int?

    /// The duration of the track.
    public var duration: Duration { .milliseconds(durationMs) }
}
