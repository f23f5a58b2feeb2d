// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import SpotifyWebAPI

private typealias Sent = ScriptedServer.Sent

@Suite struct `The calls of the Web API` {
    @Test func `Development Mode saves, lists, adds and creates with its own paths`() async throws {
        let server = ScriptedServer(
            .status(200), .status(200), .json(Documents.playlist(#""items": {"total": 0}"#)),
            .json(#"{"snapshot_id": "abc"}"#), .json(Documents.page([Documents.playlistItem("item", Documents.track)])))
        let spotify = try server.client(.development)
        try await spotify.save(["spotify:track:1", "spotify:album:2", "spotify:artist:3"])
        try await spotify.removeSaved(["spotify:track:1"])
        _ = try await spotify.createPlaylist("Für + & später", description: "a", isPublic: true)
        #expect(try await spotify.add(["spotify:track:1"], toPlaylist: "p", at: 0) == "abc")
        let names = try await spotify.items(ofPlaylist: "p").reduce(into: []) { $0.append($1.item?.name) }
        #expect(names == ["Cut To The Feeling"])
        #expect(
            await server.sent == [
                Sent("PUT", "/v1/me/library?uris=spotify%3Atrack%3A1%2Cspotify%3Aalbum%3A2%2Cspotify%3Aartist%3A3"),
                Sent("DELETE", "/v1/me/library?uris=spotify%3Atrack%3A1"),
                Sent("POST", "/v1/me/playlists", #"{"description":"a","name":"Für + & später","public":true}"#),
                Sent("POST", "/v1/playlists/p/items", #"{"position":0,"uris":["spotify:track:1"]}"#),
                Sent("GET", "/v1/playlists/p/items"),
            ])
    }

    @Test func `Extended Quota saves, lists, adds and creates as before`() async throws {
        let server = ScriptedServer(
            .status(200), .status(200), .status(200), .json(Documents.user),
            .json(Documents.playlist(#""tracks": {"total": 0}"#)), .json(#"{"snapshot_id": "abc"}"#),
            .json(Documents.page([Documents.playlistItem("track", Documents.track)])))
        let spotify = try server.client(.extended)
        try await spotify.save(["spotify:track:1", "spotify:album:2", "spotify:track:3"])
        try await spotify.removeSaved(["spotify:track:1"])
        _ = try await spotify.createPlaylist("Later")
        #expect(try await spotify.add(["spotify:track:1"], toPlaylist: "p") == "abc")
        let names = try await spotify.items(ofPlaylist: "p").reduce(into: []) { $0.append($1.item?.name) }
        #expect(names == ["Cut To The Feeling"])
        #expect(
            await server.sent == [
                Sent("PUT", "/v1/me/tracks", #"{"ids":["1","3"]}"#), Sent("PUT", "/v1/me/albums", #"{"ids":["2"]}"#),
                Sent("DELETE", "/v1/me/tracks", #"{"ids":["1"]}"#), Sent("GET", "/v1/me"),
                Sent("POST", "/v1/users/unal/playlists", #"{"name":"Later","public":false}"#),
                Sent("POST", "/v1/playlists/p/tracks", #"{"uris":["spotify:track:1"]}"#),
                Sent("GET", "/v1/playlists/p/tracks"),
            ])
    }

    @Test(
        arguments: [
            (Playback.resumed, nil, nil, "", "{}"),
            (.context("spotify:album:2"), nil, nil, "", #"{"context_uri":"spotify:album:2"}"#),
            (
                .context("spotify:album:2", offset: .position(3)), .milliseconds(1500), "dev ice",
                "?device_id=dev%20ice",
                #"{"context_uri":"spotify:album:2","offset":{"position":3},"position_ms":1500}"#
            ),
            (
                .uris(["spotify:track:1", "spotify:track:2"], offset: .uri("spotify:track:2")), nil, nil, "",
                #"{"offset":{"uri":"spotify:track:2"},"uris":["spotify:track:1","spotify:track:2"]}"#
            ),
        ] as [(Playback, Duration?, String?, String, String)])
    func `plays a context or tracks from a position on a device`(
        playback: Playback, position: Duration?, device: String?, query: String, body: String
    ) async throws {
        let server = ScriptedServer(.status(204))
        try await server.client().play(playback, at: position, on: device)
        #expect(await server.sent == [Sent("PUT", "/v1/me/player/play\(query)", body)])
    }

    @Test func `commands the player and ignores the body of its answer`() async throws {
        let server = ScriptedServer(.status(204), .status(200, "CgiKfQ== no JSON"), .status(202))
        let spotify = try server.client()
        try await spotify.pause()
        try await spotify.skipToNext(on: "d")
        try await spotify.skipToPrevious()
        try await spotify.seek(to: .seconds(61))
        try await spotify.setVolume(140)
        try await spotify.addToQueue("spotify:track:1")
        #expect(
            await server.sent == [
                Sent("PUT", "/v1/me/player/pause"), Sent("POST", "/v1/me/player/next?device_id=d"),
                Sent("POST", "/v1/me/player/previous"), Sent("PUT", "/v1/me/player/seek?position_ms=61000"),
                Sent("PUT", "/v1/me/player/volume?volume_percent=100"),
                Sent("POST", "/v1/me/player/queue?uri=spotify%3Atrack%3A1"),
            ])
    }

    @Test func `repeats, shuffles and moves to another device`() async throws {
        let server = ScriptedServer(.status(204))
        let spotify = try server.client()
        try await spotify.setRepeat(.track)
        try await spotify.setRepeat(.off, on: "d")
        try await spotify.setShuffle(true)
        try await spotify.transferPlayback(to: "d", play: true)
        try await spotify.transferPlayback(to: "e")
        #expect(
            await server.sent == [
                Sent("PUT", "/v1/me/player/repeat?state=track"),
                Sent("PUT", "/v1/me/player/repeat?state=off&device_id=d"),
                Sent("PUT", "/v1/me/player/shuffle?state=true"),
                Sent("PUT", "/v1/me/player", #"{"device_ids":["d"],"play":true}"#),
                Sent("PUT", "/v1/me/player", #"{"device_ids":["e"],"play":false}"#),
            ])
    }

    @Test(
        arguments: [
            (nil, 20, "limit=20"),
            (.before(Date(timeIntervalSince1970: 1_619_441_907.757)), 0, "limit=1&before=1619441907757"),
            (.after(Date(timeIntervalSince1970: 1_619_441_907.757)), 99, "limit=50&after=1619441907757"),
        ] as [(PlayHistoryRange?, Int, String)])
    func `requests the play history of a time range`(range: PlayHistoryRange?, size: Int, query: String) async throws {
        let server = ScriptedServer(.json(#"{"items": [], "next": null, "cursors": null, "limit": 20}"#))
        for try await _ in try server.client().recentlyPlayed(range, pageSize: size) {}
        #expect(await server.sent == [Sent("GET", "/v1/me/player/recently-played?\(query)")])
    }

    @Test func `requests the top items of a time range`() async throws {
        let server = ScriptedServer(.json(Documents.page([])))
        let spotify = try server.client()
        for try await _ in spotify.topTracks(over: .shortTerm) {}
        for try await _ in spotify.topArtists() {}
        #expect(
            await server.sent == [
                Sent("GET", "/v1/me/top/tracks?time_range=short_term"),
                Sent("GET", "/v1/me/top/artists?time_range=medium_term"),
            ])
    }

    @Test func `reads shows and episodes, in a market too`() async throws {
        let server = ScriptedServer(
            .json(Documents.show), .json(Documents.show), .json(Documents.page([Documents.plainEpisode])),
            .json(Documents.page([Documents.plainEpisode])), .json(Documents.episode), .json(Documents.episode),
            .json(Documents.page([#"{"added_at": "2026-02-11T00:00:00Z", "show": \#(Documents.show)}"#])))
        let spotify = try server.client()
        #expect(try await spotify.show("s").name == "Well & good")
        _ = try await spotify.show("s", market: "SE")
        for try await _ in spotify.episodes(ofShow: "s") {}
        for try await _ in spotify.episodes(ofShow: "s", market: "SE") {}
        #expect(try await spotify.episode("e").name == "Tips for sleep")
        _ = try await spotify.episode("e", market: "S&")
        let saved = try await spotify.savedShows().reduce(into: []) { $0.append($1.show.name) }
        #expect(saved == ["Well & good"])
        #expect(
            await server.sent.map(\.target) == [
                "/v1/shows/s", "/v1/shows/s?market=SE", "/v1/shows/s/episodes", "/v1/shows/s/episodes?market=SE",
                "/v1/episodes/e", "/v1/episodes/e?market=S%26", "/v1/me/shows",
            ])
    }

    @Test func `reads the player, its devices and its queue`() async throws {
        let server = ScriptedServer(
            .status(204), .json(Documents.player(item: Documents.plainTrack)),
            .json(
                #"{"devices": [\#(Documents.device), {"id": null, "is_active": false, "name": "Car", "type": "Automobile", "volume_percent": null}]}"#
            ),
            .json(#"{"currently_playing": \#(Documents.episode), "queue": [\#(Documents.track)]}"#))
        let spotify = try server.client()
        #expect(try await spotify.playbackState() == nil, "204: no device plays")
        #expect(try await spotify.currentlyPlaying()?.item?.name == "Cut To The Feeling")
        #expect(try await spotify.devices().map(\.name) == ["Kitchen speaker", "Car"])
        let queue = try await spotify.queue()
        #expect(queue.currentlyPlaying?.name == "Tips for sleep" && queue.queue.map(\.name) == ["Cut To The Feeling"])
        #expect(
            await server.sent.map(\.target) == [
                "/v1/me/player?additional_types=track%2Cepisode",
                "/v1/me/player/currently-playing?additional_types=track%2Cepisode", "/v1/me/player/devices",
                "/v1/me/player/queue",
            ])
    }

    @Test(arguments: [(QuotaMode.development, 10), (.extended, 50)])
    func `requests no more search results than the quota mode allows`(quota: QuotaMode, most: Int) async throws {
        let server = ScriptedServer(.json(#"{"tracks": \#(Documents.page([Documents.track]))}"#))
        let spotify = try server.client(quota)
        let found = try await spotify.search("R&B + ü", for: [.track, .album], limit: 200)
        #expect(found.tracks?.items.count == 1 && found.albums == nil)
        #expect(
            await server.sent == [
                Sent("GET", "/v1/search?q=R%26B%20%2B%20%C3%BC&type=album%2Ctrack&limit=\(most)&offset=0")
            ])
    }

    @Test func `an id from outside cannot change the path`() async throws {
        let server = ScriptedServer(.json(Documents.track))
        _ = try await server.client().track("../me?x=1#y")
        #expect(await server.sent == [Sent("GET", "/v1/tracks/%2E%2E%2Fme%3Fx%3D1%23y")])
    }

    @Test func `adds a hundred items with each call, in order`() async throws {
        let server = ScriptedServer(.json(#"{"snapshot_id": "abc"}"#))
        let uris = (0..<201).map { "spotify:track:\($0)" }
        try await server.client().add(uris, toPlaylist: "p", at: 5)
        let bodies = try await server.sent.map { try JSONDecoder().decode(Added.self, from: Data($0.body.utf8)) }
        #expect(bodies.map(\.position) == [5, 105, 205])
        #expect(bodies.flatMap(\.uris) == uris)
    }

    @Test(arguments: [(QuotaMode.development, "items"), (.extended, "tracks")])
    func `removes and moves items with the path and the key of the quota mode`(
        quota: QuotaMode, name: String
    ) async throws {
        let server = ScriptedServer(.json(#"{"snapshot_id": "abc"}"#))
        let spotify = try server.client(quota)
        #expect(try await spotify.remove(["spotify:track:1", "spotify:episode:2"], fromPlaylist: "p") == "abc")
        try await spotify.remove(["spotify:track:1"], fromPlaylist: "p", snapshot: "v1")
        #expect(try await spotify.moveItems(9..<11, ofPlaylist: "p", before: 0, snapshot: "v2") == "abc")
        try await spotify.moveItems(0..<1, ofPlaylist: "p", before: 10)
        #expect(try await spotify.moveItems(3..<3, ofPlaylist: "p", before: 0) == nil)
        #expect(try await spotify.remove([], fromPlaylist: "p") == nil)
        let path = "/v1/playlists/p/\(name)"
        let members = [#""\#(name)":[{"uri":"spotify:track:1"}]"#, #""snapshot_id":"v1""#]
        let version = "{\(members.sorted().joined(separator: ","))}"
        #expect(
            await server.sent == [
                Sent("DELETE", path, #"{"\#(name)":[{"uri":"spotify:track:1"},{"uri":"spotify:episode:2"}]}"#),
                Sent("DELETE", path, version),
                Sent("PUT", path, #"{"insert_before":0,"range_length":2,"range_start":9,"snapshot_id":"v2"}"#),
                Sent("PUT", path, #"{"insert_before":10,"range_length":1,"range_start":0}"#),
            ])
    }

    @Test func `removes a hundred items with each call`() async throws {
        let server = ScriptedServer(.json(#"{"snapshot_id": "abc"}"#))
        try await server.client().remove((0..<201).map { "spotify:track:\($0)" }, fromPlaylist: "p")
        let counts = await server.sent.map { $0.body.split(separator: "uri").count - 1 }
        #expect(counts == [100, 100, 1])
    }

    private struct Added: Decodable {
        let uris: [String]
        let position: Int
    }

    @Test func `saves forty items with each call, and refuses other kinds`() async throws {
        let server = ScriptedServer(.status(200))
        let spotify = try server.client()
        try await spotify.save((0..<41).map { "spotify:track:\($0)" })
        #expect(await server.sent.count == 2)
        await #expect(throws: NotInLibrary(kind: "genre")) {
            try await spotify.save(["spotify:track:1", "spotify:genre:2"])
        }
        let extended = try server.client(.extended)
        await #expect(throws: NotInLibrary(kind: "artist")) { try await extended.save(["spotify:artist:2"]) }
        await #expect(throws: NotInLibrary(kind: "track")) { try await spotify.save(["spotify:track:"]) }
        #expect(await server.sent.count == 2, "nothing was sent")
        try await extended.save((0..<51).map { "spotify:track:\($0)" })
        #expect(await server.sent.count == 4, "fifty with each call")
    }

    @Test func `limits numbers to their ranges`() async throws {
        let server = ScriptedServer(.json("{}"))
        let spotify = try server.client()
        try await spotify.setVolume(-3)
        _ = try await spotify.search("a\n", limit: 0, offset: -1)
        #expect(
            await server.sent == [
                Sent("PUT", "/v1/me/player/volume?volume_percent=0"),
                Sent("GET", "/v1/search?q=a%0A&type=track&limit=1&offset=0"),
            ])
    }

    @Test(arguments: ["https://api.spotify.com", "https://api.spotify.com/"])
    func `is a request below the base URL, and has a length even without a body`(base: String) throws {
        let base = try #require(URL(string: base))
        let request = try WebAPICall(method: "PUT", path: "/v1/me/player/pause").request(at: base)
        #expect(request.url?.absoluteString == "https://api.spotify.com/v1/me/player/pause")
        #expect(request.httpMethod == "PUT" && request.httpBody == Data())
        #expect(try WebAPICall(path: "/v1/me").request(at: base).httpBody == nil)
    }
}
