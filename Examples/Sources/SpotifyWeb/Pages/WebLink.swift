// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A link to a page of Spotify, made from an item's URI.
///
/// The URL is built here and not taken from an answer. Escaping would not make a foreign URL harmless: `javascript:…`
/// has no character that is escaped.
struct WebLink: Hashable, Sendable {
    let address: String

    /// - Parameter uri: for instance `spotify:track:11dFghVXANMlKmJXsNCbNl`. Other forms give `nil`.
    init?(uri: String) {
        let parts = uri.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "spotify", !parts[2].isEmpty,
            ["track", "episode", "album", "artist", "user"].contains(parts[1]),
            parts[2].utf8.allSatisfy({ Self.isPlain($0) })
        else { return nil }
        address = "https://open.spotify.com/\(parts[1])/\(parts[2])"
    }

    /// The text, as a link if there is one.
    static func html(_ text: String, to link: WebLink?) -> HTML {
        // A name may be written from right to left. `bdi` keeps it from changing the direction of the text around it.
        guard let link else { return "<bdi>\(text)</bdi>" }
        return "<a href=\"\(link.address)\" rel=\"noopener noreferrer\"><bdi>\(text)</bdi></a>"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
