// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The played tracks, newest first. As with Spotify, a track counts when it has ended, and after 30 seconds.
struct PlayHistory: Sendable {
    struct Play: Encodable, Sendable {
        let track: Track
        let playedAt: String
        let context: PlaybackState.Context?
        /// In milliseconds since 1970: the cursor.
        let endedAt: Int

        private enum CodingKeys: CodingKey { case track, playedAt, context }
    }

    private(set) var plays: [Play] = []

    /// Keeps the last fifty, as Spotify does.
    mutating func add(_ track: Track, from context: String?, position: Int, endedAt: Int) {
        guard position > 30_000 else { return }
        let play = Play(
            track: track, playedAt: Self.text(endedAt), context: context.map(PlaybackState.Context.init(uri:)),
            endedAt: endedAt)
        plays = Array(([play] + plays).prefix(50))
    }

    /// With milliseconds, which Spotify writes only in these times. Foundation would round them down.
    private static func text(_ milliseconds: Int) -> String {
        let seconds = Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601).dropLast()
        return seconds + "." + String(String(1000 + milliseconds % 1000).dropFirst()) + "Z"
    }
}

extension Date {
    /// Since 1970.
    var milliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }
}
