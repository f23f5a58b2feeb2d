// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import SpotifyTool
@testable import SpotifyWebAPI
import Testing

@Suite struct `The argument of play` {
    @Test(arguments: [
        ("spotify:track:1cNightFerry0000000001", Playback.uris(["spotify:track:1cNightFerry0000000001"])),
        ("spotify:album:2bTides", .context("spotify:album:2bTides")),
        ("https://open.spotify.com/playlist/3dRain", .context("spotify:playlist:3dRain")),
        ("https://open.spotify.com/intl-de/track/1cNight?si=0123", .uris(["spotify:track:1cNight"])),
    ])
    func `is a URI, or a link as Spotify's apps copy it`(text: String, playback: Playback) throws {
        #expect(try PlayTarget(text).playback == playback)
    }

    @Test(arguments: [
        "", "night ferry", "spotify:track:", "spotify:user:me", "spotify:track:a b", "spotify:track:ä",
        "spotify:track:a:b",
        "http://open.spotify.com/track/a", "https://open.spotify.com.evil.example/track/a",
        "https://open.spotify.com/track",
    ])
    func `cannot be anything else`(text: String) {
        #expect { try PlayTarget(text) } throws: { ($0 as? ToolFailure)?.status == .usage }
    }

    @Test func `plays on a device by its name or its id, if the device can be controlled`() throws {
        let list = #"[{"name": "Car", "id": null}, {"name": "Küche", "id": "k1"}]"#
            .replacing(#""id""#, with: #""type": "x", "is_active": false, "id""#)
        let devices = try SpotifyClient.decode([Device].self, from: Data(list.utf8))
        #expect(try Tool.id(of: "KÜCHE", among: devices) == "k1")
        #expect(try Tool.id(of: "k1", among: devices) == "k1")
        let failure = #expect(throws: ToolFailure.self) { try Tool.id(of: "Car", among: devices) }
        #expect(failure?.advice == "The devices are: Küche.")
        let none = #expect(throws: ToolFailure.self) { try Tool.id(of: "Car", among: []) }
        #expect(none?.advice == "Open Spotify on a device.")
    }
}
