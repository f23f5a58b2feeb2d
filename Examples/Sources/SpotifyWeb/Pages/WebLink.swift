// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A link to a page of Spotify's, made from an item's URI.
///
/// The address is put together here and not taken from an answer: escaping does not make a foreign address harmless,
/// `javascript:…` needs no character that is escaped.
struct WebLink: Hashable, Sendable {
    let address: String

    /// - Parameter uri: for instance `spotify:track:11dFghVXANMlKmJXsNCbNl`; `nil` for anything that is not like it.
    init?(uri: String) {
        let parts = uri.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "spotify", !parts[2].isEmpty,
            ["track", "episode", "album", "artist", "user"].contains(parts[1]),
            parts[2].utf8.allSatisfy({ Self.isPlain($0) })
        else { return nil }
        address = "https://open.spotify.com/\(parts[1])/\(parts[2])"
    }

    /// The text, as a link where there is one to go to.
    static func html(_ text: String, to link: WebLink?) -> HTML {
        // A name may be written from right to left: `bdi` keeps it from turning what stands around it.
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
