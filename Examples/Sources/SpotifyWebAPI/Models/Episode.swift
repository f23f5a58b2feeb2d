// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A part of a podcast.
public struct Episode: Decodable, Hashable, Sendable {
    public struct Show: Decodable, Hashable, Sendable {
        public let id: String
        public let name: String
        public let uri: String
    }

    public let id: String
    public let name: String
    public let uri: String
    /// In milliseconds.
    public let durationMs: Int
    public let show: Show?

    /// Its length.
    public var duration: Duration { .milliseconds(durationMs) }
}
