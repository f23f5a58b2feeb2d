// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A piece of music.
public struct Track: Decodable, Hashable, Sendable {
    /// Absent for files of the user's own.
    public let id: String?
    public let name: String
    public let uri: String
    public let artists: [Artist]?
    /// Absent where the track stands in its album.
    public let album: Album?
    /// In milliseconds.
    public let durationMs: Int
    public let explicit: Bool?
    public let isPlayable: Bool?
    public let isLocal: Bool?
    public let trackNumber: Int?
    /// From 0 to 100; only with Extended Quota.
    public let popularity: Int?

    /// Its length.
    public var duration: Duration { .milliseconds(durationMs) }
}
