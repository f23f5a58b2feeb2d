// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import SpotifyWebAPI

@Suite(.timeLimit(.minutes(5))) struct `Paging` {
    private let link = "https://api.spotify.com/v1/me/tracks?offset=20&limit=20"
    private func saved(_ track: String) -> String { #"{"added_at": "2026-02-11T00:00:00Z", "track": \#(track)}"# }

    @Test func `fetches the next page when its first item is requested`() async throws {
        let server = ScriptedServer(
            .json(Documents.page([saved(Documents.track), saved(Documents.track)], next: link)),
            .json(Documents.page([saved(Documents.plainTrack)])))
        var tracks = try server.client().savedTracks().makeAsyncIterator()
        for _ in 1...2 { #expect(try await tracks.next()?.track.name == "Cut To The Feeling") }
        #expect(await server.sent.count == 1)
        #expect(try await tracks.next() != nil)
        #expect(await server.sent.map(\.target) == ["/v1/me/tracks", "/v1/me/tracks?offset=20&limit=20"])
        #expect(try await tracks.next() == nil)
        #expect(await server.sent.count == 2)
    }

    @Test func `continues after a page without items`() async throws {
        let server = ScriptedServer(
            .json(Documents.page(["null"], next: link)), .json(Documents.page([saved(Documents.track)])))
        let count = try await server.client().savedTracks().reduce(0) { count, _ in count + 1 }
        #expect(count == 1)
    }

    @Test func `does not follow a link to another server`() async throws {
        let server = ScriptedServer(
            .json(Documents.page([saved(Documents.track)], next: "https://api.spotify.com.evil.example/v1/me")))
        let tracks = try server.client().savedTracks()
        await #expect(throws: UnreadableAnswer(member: "next")) { for try await _ in tracks {} }
        #expect(await server.sent.count == 1)
    }

    @Test func `ends at a link to an earlier page`() async throws {
        let server = ScriptedServer(.json(Documents.page([saved(Documents.track)], next: link)))
        let count = try await server.client().savedTracks().reduce(0) { count, _ in count + 1 }
        #expect(count == 2)
    }

    @Test func `of a search unwraps every page`() async throws {
        let next = "https://api.spotify.com/v1/search?q=a&type=artist&offset=10&limit=10"
        let server = ScriptedServer(
            .json(#"{"artists": \#(Documents.page([Documents.artist], next: next))}"#),
            .json(#"{"artists": \#(Documents.page([Documents.plainArtist]))}"#))
        let artists = try await server.client().searchArtists("a").reduce(into: []) { $0.append($1.name) }
        #expect(artists == ["Carly Rae Jepsen", "Carly Rae Jepsen"])
        #expect(await server.sent.map(\.target).first == "/v1/search?q=a&type=artist&limit=10&offset=0")
    }

    @Test func `follows the links of cursors too`() async throws {
        let next = "https://api.spotify.com/v1/me/player/recently-played?before=1619441907757&limit=1"
        let played = Documents.played(Documents.track, at: "2021-04-26T12:58:27.757Z")
        let server = ScriptedServer(
            .json(#"{"items": [\#(played), null], "next": "\#(next)", "cursors": {}, "limit": 1}"#),
            .json(#"{"items": [\#(played)], "next": null, "cursors": {}, "limit": 1}"#))
        let sizes = try await server.client().recentlyPlayed().pages.reduce(into: []) { $0.append($1.items.count) }
        #expect(sizes == [1, 1])
        #expect(
            await server.sent.map(\.target) == [
                "/v1/me/player/recently-played?limit=20", "/v1/me/player/recently-played?before=1619441907757&limit=1",
            ])
    }

    @Test func `offers the pages themselves too`() async throws {
        let server = ScriptedServer(.json(Documents.page([saved(Documents.track)], total: 77)))
        let totals = try await server.client().savedTracks().pages.reduce(into: []) { $0.append($1.total) }
        #expect(totals == [77])
    }

    @Test func `ends when the task is cancelled`() async throws {
        let server = ScriptedServer(.json(Documents.page([saved(Documents.track)], next: link)))
        let spotify = try server.client()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in spotify.savedTracks() {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await server.sent.isEmpty)
    }
}
