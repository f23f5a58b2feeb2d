// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `The Web API over a socket` {
    private func withSignedIn(
        clock: ManualClock = ManualClock(), _ body: (LocalSpotify, Client, String) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(policy: TokenPolicy(accessTokenLifetime: .seconds(60)), clock: clock)
        try await spotify.serve { url in
            let client = Client(url)
            try await body(spotify, client, try await client.signIn(at: spotify).accessToken)
        }
    }

    @Test func `returns the signed-in user`() async throws {
        struct Profile: Decodable {
            let id, displayName, type, uri: String
        }
        try await withSignedIn { _, client, token in
            let reply = try await client.get("/v1/me", token: token)
            let profile = try reply.decode(Profile.self)
            #expect(reply.status == 200)
            #expect(profile.id == "local-listener")
            #expect(profile.displayName == "Local Listener")
            #expect(profile.type == "user")
            #expect(profile.uri == "spotify:user:local-listener")
        }
    }

    @Test func `returns what is playing`() async throws {
        struct State: Decodable {
            struct Device: Decodable {
                let isActive: Bool
                let volumePercent: Int
            }
            struct Item: Decodable {
                let name: String
                let durationMs: Int
            }
            let device: Device
            let isPlaying: Bool
            let progressMs: Int
            let currentlyPlayingType: String
            let item: Item
        }
        try await withSignedIn { _, client, token in
            let state = try await client.get("/v1/me/player", token: token).decode(State.self)
            #expect(state.isPlaying)
            #expect(state.device.isActive)
            #expect(state.item.name == "Night Ferry")
            #expect(state.currentlyPlayingType == "track")
            #expect((0..<state.item.durationMs).contains(state.progressMs))
        }
    }

    private struct Page: Decodable {
        struct Item: Decodable { let name: String }
        let items: [Item]
        let total, limit, offset: Int
        let next, previous: String?
    }

    @Test func `lists playlists page by page, with links to the next page`() async throws {
        try await withSignedIn { _, client, token in
            let first = try await client.get("/v1/me/playlists?limit=2", token: token)
            let page = try first.decode(Page.self)
            #expect(page.items.map(\.name) == ["Morning", "Night drive"])
            #expect(page.total == 3)
            #expect(first.text.contains(#""previous":null"#))

            let next = try #require(page.next)
            #expect(next.hasPrefix(client.url.absoluteString))
            let second = try await client.get(String(next.dropFirst(client.url.absoluteString.count)), token: token)
            #expect(try second.decode(Page.self).items.map(\.name) == ["For the rain"])
            #expect(second.text.contains(#""next":null"#))
            #expect(try second.decode(Page.self).previous != nil)
        }
    }

    @Test func `returns further search results on the next page`() async throws {
        try await withSignedIn { _, client, token in
            let first = try await client.get("/v1/search?q=ht&type=track&limit=1", token: token)
            let page = try #require(try first.decode([String: Page].self)["tracks"])
            #expect(page.items.map(\.name) == ["Night Ferry"])
            let next = try #require(page.next).dropFirst(client.url.absoluteString.count)
            let second = try await client.get(String(next), token: token)
            #expect(try second.decode([String: Page].self)["tracks"]?.items.map(\.name) == ["Lighthouse Keeping"])
        }
    }

    @Test(arguments: [
        ("q=night&type=track", ["tracks": ["Night Ferry"]]),
        ("q=night&type=track,playlist", ["tracks": ["Night Ferry"], "playlists": ["Night drive"]]),
        ("q=n%C3%A4&type=track", ["tracks": ["Nachtfähre & Nebel"]]),
        ("q=the+harbour&type=artist", ["artists": ["The Harbour Lights"]]),
        ("q=tides&type=album", ["albums": ["Tides and Timetables"]]),
        ("q=nothing+like+it&type=track", ["tracks": []]),
    ])
    func `searches`(query: String, expected: [String: [String]]) async throws {
        try await withSignedIn { _, client, token in
            let found = try await client.get("/v1/search?\(query)", token: token).decode([String: Page].self)
            #expect(found.mapValues { $0.items.map(\.name) } == expected)
        }
    }

    @Test(arguments: [
        ("/v1/search?type=track", 400, "No search query"),
        ("/v1/search?q=a", 400, "Missing parameter type"),
        ("/v1/search?q=a&type=song", 400, "Bad search type field song"),
        ("/v1/search?q=a&type=track&limit=51", 400, "Invalid limit"),
        ("/v1/me/playlists?limit=0", 400, "Invalid limit"),
        ("/v1/me/playlists?offset=-1", 400, "Invalid limit"),
        ("/v1/nowhere", 404, "Service not found"),
    ])
    func `names the error in the regular error object`(path: String, status: Int, message: String) async throws {
        try await withSignedIn { _, client, token in
            let reply = try await client.get(path, token: token)
            #expect(reply.status == status)
            #expect(reply.text == #"{"error":{"message":"\#(message)","status":\#(status)}}"#)
        }
    }

    @Test func `refuses an expired access token in the body and in the header field`() async throws {
        let clock = ManualClock()
        try await withSignedIn(clock: clock) { spotify, client, token in
            clock.advance(by: .seconds(60))
            let reply = try await client.get("/v1/me", token: token)
            #expect(reply.status == 401)
            #expect(reply.text == #"{"error":{"message":"The access token expired","status":401}}"#)
            let challenge =
                #"Bearer realm="spotify", error="invalid_token", error_description="The access token expired""#
            #expect(reply.field("WWW-Authenticate") == challenge)
            #expect(await spotify.statistics.unauthorized == 1)
        }
    }

    @Test func `refuses a revoked or unknown access token as invalid`() async throws {
        try await withSignedIn { spotify, client, token in
            await spotify.revokeAccessTokens()
            for token in [token, "made-up"] {
                let reply = try await client.get("/v1/me/player", token: token)
                #expect(reply.status == 401)
                #expect(reply.text == #"{"error":{"message":"Invalid access token","status":401}}"#)
            }
        }
    }

    @Test func `asks for a token without an error code if there was none`() async throws {
        try await withSignedIn { _, client, _ in
            let reply = try await client.get("/v1/me")
            #expect(reply.status == 401)
            #expect(reply.field("WWW-Authenticate") == #"Bearer realm="spotify""#)
            #expect(reply.text == #"{"error":{"message":"No token provided","status":401}}"#)
        }
    }
}
