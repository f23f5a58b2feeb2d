// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The scopes, with the descriptions of the consent page.
enum Scope {
    /// All known scopes, each with what it lets an app do.
    static let known: KeyValuePairs = [
        "user-read-private": "See your subscription details",
        "user-read-email": "See your e-mail address",
        "user-read-playback-state": "See what you play, and on which device",
        "user-modify-playback-state": "Control playback on your devices",
        "user-read-currently-playing": "See what you are playing now",
        "app-remote-control": "Talk to Spotify on this device",
        "streaming": "Play music itself",
        "user-read-playback-position": "See where you stopped listening",
        "user-top-read": "See your top artists and songs",
        "user-read-recently-played": "See what you played recently",
        "playlist-read-private": "See your private playlists",
        "playlist-read-collaborative": "See your collaborative playlists",
        "playlist-modify-private": "Change your private playlists",
        "playlist-modify-public": "Change your public playlists",
        "user-library-read": "See what you saved",
        "user-library-modify": "Change what you saved",
        "user-follow-read": "See whom you follow",
        "user-follow-modify": "Change whom you follow",
        "ugc-image-upload": "Upload pictures",
    ]

    static let all = Set(known.map(\.key))

    /// Parses a list of scopes. It is a set; the order has no meaning (RFC 6749 §3.3).
    ///
    /// - Returns: `nil` if one of the scopes is unknown.
    static func parse(_ list: String?) -> Set<String>? {
        let scopes = Set((list ?? "").split(separator: " ").map(String.init))
        return scopes.isSubset(of: all) ? scopes : nil
    }

    /// Writes a list in alphabetical order.
    static func list(_ scopes: Set<String>) -> String { scopes.sorted().joined(separator: " ") }

    /// The descriptions for the consent page, in the order of ``known``.
    static func descriptions(of scopes: Set<String>) -> [String] {
        known.filter { scopes.contains($0.key) }.map(\.value)
    }
}
