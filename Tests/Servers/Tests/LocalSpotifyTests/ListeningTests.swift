// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `What the user listened to, over a socket` {
    private struct Page: Decodable {
        struct Play: Decodable {
            struct Track: Decodable { let name: String }
            let track: Track
            let playedAt: String
        }
        struct Cursors: Decodable, Equatable { let after, before: String }
        let items: [Play]
        let limit: Int
        let next: String?
        let cursors: Cursors?
    }

    private let clock = ManualClock()

    private func signedIn(_ body: (Client, String) async throws -> Void) async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(accessTokenLifetime: .seconds(100_000)), clock: clock)
        try await spotify.serve { url in
            let client = Client(url)
            try await body(client, try await client.signIn(at: spotify).accessToken)
        }
    }

    private func read(_ query: String, _ client: Client, _ token: String) async throws -> Page {
        try await client.get("/v1/me/player/recently-played\(query)", token: token).decode()
    }

    @Test func `has cursors that lead to older plays`() async throws {
        try await signedIn { client, token in
            let first = try await read("?limit=2", client, token)
            #expect(first.items.map(\.track.name) == ["Über den Dächern", "Nachtfähre & Nebel"])
            #expect(
                first.items.map(\.playedAt) == ["2026-01-01T00:08:38.673Z", "2026-01-01T00:04:19.631Z"])
            #expect(first.cursors == .init(after: "1767226118673", before: "1767225859631"))
            let next = try #require(first.next)
            #expect(next == "\(client.url.absoluteString)/v1/me/player/recently-played?before=1767225859631&limit=2")
            let second = try await read("?before=1767225859631&limit=2", client, token)
            #expect(second.items.map(\.track.name) == ["Last Train to the Harbour"])
            #expect(second.next == nil)
            let end = try await client.get("/v1/me/player/recently-played?before=1", token: token).text
            #expect(end.contains(#""cursors":null"#) && end.contains(#""next":null"#))
        }
    }

    @Test func `contains a track that has ended after more than thirty seconds`() async throws {
        try await signedIn { client, token in
            _ = try await client.get("/v1/me/player", token: token)
            for seconds in [30, 31] {
                clock.advance(by: .seconds(seconds))
                _ = try await client.call("POST", "/v1/me/player/next", token: token)
            }
            clock.advance(by: .seconds(40))
            #expect(
                try await read("", client, token).items.prefix(2).map(\.track.name) == [
                    "Last Train to the Harbour", "Über den Dächern",
                ], "without the track that was skipped early and the one that is playing")
            _ = try await client.call("PUT", "/v1/me/player/play", token: token, json: #"{"uris":["\#(Self.fog)"]}"#)
            #expect(try await read("?limit=1", client, token).items.map(\.track.name) == ["Lighthouse Keeping"])
        }
    }

    @Test func `goes back fifty tracks`() async throws {
        try await signedIn { client, token in
            _ = try await client.get("/v1/me/player", token: token)
            clock.advance(by: .seconds(24 * 3600))
            #expect(try await read("?limit=50", client, token).items.count == 50)
            #expect(try await read("?limit=50", client, token).next == nil)
        }
    }

    @Test(arguments: [
        ("/player/recently-played?limit=51", "Invalid limit"), ("/player/recently-played?limit=0", "Invalid limit"),
        ("/player/recently-played?before=now", "Invalid before"), ("/player/recently-played?after=-1", "Invalid after"),
        ("/player/recently-played?before=1&after=1", "Only one of before and after"),
        ("/top/tracks?time_range=ever", "Invalid time_range"), ("/top/tracks?limit=51", "Invalid limit"),
    ])
    func `names the error`(path: String, message: String) async throws {
        try await signedIn { client, token in
            let reply = try await client.get("/v1/me\(path)", token: token)
            #expect(reply.text == #"{"error":{"message":"\#(message)","status":400}}"#)
        }
    }

    @Test func `has top tracks and artists only, and links that keep the time range`() async throws {
        try await signedIn { client, token in
            let page = try await client.get("/v1/me/top/tracks?time_range=long_term&limit=1", token: token).text
            #expect(page.contains("Last Train to the Harbour"))
            #expect(page.contains("/v1/me/top/tracks?time_range=long_term&offset=1&limit=1"))
            #expect(try await client.get("/v1/me/top/albums", token: token).status == 404)
        }
    }

    private static let fog = "spotify:track:1cNachtfaehre000000005"
}
