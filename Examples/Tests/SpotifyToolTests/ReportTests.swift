// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
@testable import SpotifyTool
@testable import SpotifyWebAPI
import Testing

@Suite struct `The commands report` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func text(_ report: some ToolReport) -> String { Renderer(colours: false).render(report.blocks) }

    private func settings(local: Bool = false) throws -> ToolSettings {
        try ToolSettings(local: local, account: "me", environment: ["CLIENT_ID": "abc"])
    }

    @Test func `the facts about a token, without the token`() throws {
        let token = OAuthToken(
            accessToken: "ACCESS-secret", refreshToken: "REFRESH-secret", tokenType: "Bearer",
            scopes: ["user-read-email", "playlist-read-private"], expiresAt: now + 3599)
        let report = StatusReport(token, of: try settings(), at: now)
        #expect(
            text(report) == """
                signed in to Spotify
                account  me
                expires  in 59 min, then refreshed by itself
                scopes   playlist-read-private
                         user-read-email
                """)
        #expect(
            try ToolOutput.json(report) == """
                {
                  "account" : "me",
                  "expiresAt" : "2027-01-15T08:59:59Z",
                  "isSignedIn" : true,
                  "scopes" : [
                    "playlist-read-private",
                    "user-read-email"
                  ],
                  "service" : "Spotify"
                }
                """)
        var dumped = ""
        dump(report, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test(arguments: [(-1, "refreshed with the next call"), (59, "in less than a minute"), (61, "in 1 min")])
    func `when a token will be replaced`(seconds: Int, words: String) throws {
        let token = OAuthToken(accessToken: "a", expiresAt: now + TimeInterval(seconds))
        #expect(text(StatusReport(token, of: try settings(), at: now)).contains("expires  \(words)"))
    }

    @Test func `that the account is not signed in, and what to do`() throws {
        #expect(
            text(StatusReport(nil, of: try settings(local: true), at: now)) == """
                not signed in to the local Spotify at http://127.0.0.1:8181
                Sign in: spotify login --local
                """)
        let work = try ToolSettings(local: false, account: "work", environment: ["CLIENT_ID": "abc"])
        #expect(
            text(StatusReport(nil, of: work, at: now)) == """
                not signed in to Spotify as work
                Sign in: spotify login --account work
                """)
    }

    @Test func `when the user must sign in again, and that the token's lifetime is unknown`() throws {
        let token = OAuthToken(accessToken: "a", refreshTokenExpiresAt: now + 86400)
        #expect(
            text(StatusReport(token, of: try settings(), at: now)) == """
                signed in to Spotify
                account               me
                expires               unknown, then refreshed by itself
                sign in again before  2027-01-16
                scopes                none
                """)
    }

    @Test func `what is playing, and its position`() throws {
        let item = #"{"name": "Night Ferry", "uri": "spotify:track:1", "duration_ms": 214000}"#
        let place =
            #""device": {"name": "Radio", "type": "x", "is_active": true, "volume_percent": 60}, "progress_ms": 65999"#
        let state = "{\(place), \"is_playing\": true, \"item\": \(item)}"
        #expect(
            text(NowReport(try SpotifyClient.decode(PlaybackState.self, from: Data(state.utf8)))) == """
                playing Night Ferry
                at   1:05 of 3:34
                on   Radio, volume 60 %
                uri  spotify:track:1
                """)
    }

    @Test(
        arguments: [
            (#""ad""#, "An advertisement is playing."),
            (#""unknown""#, "Something is playing that Spotify does not name."),
            ("null", "Something is playing that Spotify does not name."),
        ])
    func `what has no name`(type: String, sentence: String) throws {
        let state = #"{"is_playing": true, "item": null, "currently_playing_type": \#(type)}"#
        let report = NowReport(try SpotifyClient.decode(PlaybackState.self, from: Data(state.utf8)))
        #expect(text(report) == sentence)
    }

    @Test func `playlists of unknown length`() throws {
        let list = #"{"id": "1", "name": "Rain", "uri": "spotify:playlist:1", "owner": {"id": "ada"}}"#
        let playlist = try SpotifyClient.decode(Playlist.self, from: Data(list.utf8))
        #expect(
            text(PlaylistsReport([playlist])) == """
                name  items  owner  uri
                Rain  ?      ada    spotify:playlist:1
                """)
    }

    @Test func `that nothing is playing`() throws {
        #expect(text(NowReport(nil)) == "Nothing is playing.")
        #expect(try ToolOutput.json(NowReport(nil)).contains(#""isPlaying" : false"#))
    }

    @Test func `search results, in JSON as a list`() throws {
        let found = SearchReport(try JSONDecoder().decode(SearchResult.self, from: Data("{}".utf8)))
        #expect(text(found) == "Nothing was found.")
        #expect(try ToolOutput.json(found) == "[\n\n]")
        #expect(text(PlaylistsReport([])) == "There are no playlists.")
    }
}
