// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorization

extension Target {
    private static let urlShapes = [
        "https://a.example", "a", ".", "/", "https://[", ":", "https://a/../", "%41", "@", "https://a:1", "\\", "[::1]",
        "é",
        "/./", "/../",
    ]

    /// A text that is an origin is the origin of the same URL, as Foundation reads it.
    static let origins = Target("origins", shapes: urlShapes) { input in
        let text = input.text
        guard let origin = Origin(text) else { return }
        claim(Origin(origin.description) == origin, "the description is another origin")
        guard let url = URL(string: text), let other = Origin(url) else { return }
        claim(origin == other, "\(origin) is \(other) for Foundation")
    }

    /// What is decided from the bytes of a URL is what Foundation's parser says.
    static let originSpelling = Target("origin-spelling", shapes: urlShapes) { input in
        let text = input.text
        let url = URL(string: text)
        let own = url.flatMap { Origin($0) }
        for origin: Origin in ["https://api.example.com", "http://127.0.0.1:8080", "https://a:1"] {
            guard let verdict = origin.isOrigin(ofURL: text), url != nil else { continue }
            claim(verdict == (own == origin), "\(origin): \(verdict) by its bytes")
        }
        if let own { claim(own.isOrigin(ofURL: text) != false, "not its own origin") }
        if text.namesLoopback, let own { claim(own.isLoopback && own.scheme == "http", "loopback by its bytes") }
        if text.isEncryptedURL, let own { claim(own.scheme == "https", "encrypted by its bytes") }
        if let url { _ = DotSegments.removed(from: url.path(percentEncoded: true)[...]) }
        let once = DotSegments.removed(fromURL: text)
        claim(DotSegments.removed(fromURL: once) == once, "dot segments are left")
    }
}
