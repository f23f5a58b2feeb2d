// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import SpotifyWebAPI

@Suite struct `A scope that the token lacks` {
    @Test func `is an error before the call`() async throws {
        let server = ScriptedServer(.status(204))
        let spotify = try server.client(allowed: ["user-read-playback-state"])
        #expect(try await spotify.playbackState() == nil)
        let missing = MissingScopes(scopes: ["user-modify-playback-state"], isAlternative: false)
        await #expect(throws: missing) { try await spotify.pause() }
        #expect(
            await server.sent.map(\.target) == ["/v1/me/player?additional_types=track%2Cepisode"], "nothing was sent")
        #expect("\(missing)".contains("sign in again and ask for it together with the present scopes"))
    }

    @Test func `is named by each call that reads the player`() async throws {
        let spotify = try ScriptedServer(.status(204)).client(allowed: [])
        func missing(_ scope: String) -> MissingScopes { MissingScopes(scopes: [scope], isAlternative: false) }
        await #expect(throws: missing("user-read-recently-played")) {
            for try await _ in spotify.recentlyPlayed() {}
        }
        await #expect(throws: missing("user-top-read")) { for try await _ in spotify.topTracks() {} }
        await #expect(throws: missing("user-top-read")) { for try await _ in spotify.topArtists() {} }
        await #expect(throws: missing("user-library-read")) { for try await _ in spotify.savedShows() {} }
        await #expect(throws: missing("user-modify-playback-state")) { try await spotify.setRepeat(.off) }
        await #expect(throws: missing("user-modify-playback-state")) { try await spotify.setShuffle(true) }
        await #expect(throws: missing("user-modify-playback-state")) { try await spotify.transferPlayback(to: "d") }
    }

    @Test func `does not matter if another scope is enough`() async throws {
        let server = ScriptedServer(.json(#"{"snapshot_id": "abc"}"#))
        try await server.client(allowed: ["playlist-modify-private"]).add(["spotify:track:1"], toPlaylist: "p")
        let none = try server.client(allowed: [])
        let both = MissingScopes(scopes: ["playlist-modify-private", "playlist-modify-public"], isAlternative: true)
        await #expect(throws: both) { try await none.add(["spotify:track:1"], toPlaylist: "p") }
        await #expect(throws: both) { try await none.remove(["spotify:track:1"], fromPlaylist: "p") }
        await #expect(throws: both) { try await none.moveItems(0..<1, ofPlaylist: "p", before: 2) }
        #expect(await server.sent.count == 1)
    }

    @Test(arguments: [
        ("spotify:track:1", "user-library-modify"), ("spotify:artist:1", "user-follow-modify"),
        ("spotify:playlist:1", "playlist-modify-public"),
    ])
    func `depends on the kind of item`(uri: String, scope: String) async throws {
        let spotify = try ScriptedServer(.status(200)).client(allowed: [])
        await #expect(throws: MissingScopes(scopes: [scope], isAlternative: false)) { try await spotify.save([uri]) }
    }

    @Test(arguments: [(false, "playlist-modify-private"), (true, "playlist-modify-public")])
    func `depends on whether the playlist is public`(isPublic: Bool, scope: String) async throws {
        let spotify = try ScriptedServer(.status(200)).client(allowed: [])
        await #expect(throws: MissingScopes(scopes: [scope], isAlternative: false)) {
            try await spotify.createPlaylist("x", isPublic: isPublic)
        }
    }
}
