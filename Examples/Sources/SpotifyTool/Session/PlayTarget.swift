// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import SpotifyWebAPI

/// The argument of `spotify play`: a URI, or a link that Spotify's apps copy.
struct PlayTarget: Hashable, Sendable {
    let uri: String
    /// Whether it is a single item and not a list.
    let isSingle: Bool

    /// - Parameter text: `spotify:album:2bTides…` or `https://open.spotify.com/intl-de/album/2bTides…?si=…`.
    /// - Throws: ``ToolFailure`` with ``ExitStatus/usage``.
    init(_ text: String) throws {
        guard let (kind, id) = Self.uriParts(text) ?? Self.linkParts(text),
            let isSingle = Self.kinds[kind], !id.isEmpty, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else {
            throw ToolFailure(
                .usage, "'\(text)' cannot be played",
                advice:
                    "Give a URI such as spotify:track:…, as `spotify search` prints it, or a link of open.spotify.com.")
        }
        (uri, self.isSingle) = ("spotify:\(kind):\(id)", isSingle)
    }

    var playback: Playback { isSingle ? .uris([uri]) : .context(uri) }

    // MARK: -

    private static let kinds = [
        "track": true, "episode": true, "album": false, "playlist": false, "artist": false, "show": false,
    ]

    private static func uriParts(_ text: String) -> (kind: String, id: String)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 3 && parts[0] == "spotify" ? (parts[1], parts[2]) : nil
    }

    private static func linkParts(_ text: String) -> (kind: String, id: String)? {
        guard let url = URL(string: text), url.scheme == "https", url.host() == "open.spotify.com" else { return nil }
        let parts = url.path().split(separator: "/").map(String.init).filter { !$0.hasPrefix("intl-") }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
