// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `Playlists and the library over a socket` {
    private static let fog = "spotify:track:1cNachtfaehre000000005"
    private static let ferry = "spotify:track:1cNightFerry0000000001"

    @Test(arguments: [
        (LocalSpotify.Mode.developmentMode, "/v1/me/playlists", "items", "item"),
        (.extendedQuota, "/v1/users/local-listener/playlists", "tracks", "track"),
    ])
    func `keep a created playlist and its items`(
        mode: LocalSpotify.Mode, path: String, items: String, item: String
    ) async throws {
        struct Made: Decodable { let id, snapshotId: String }
        try await Client.signedIn(mode) { client, token in
            let json = #"{"name":"<Fog> & more","public":false,"description":"d"}"#
            let reply = try await client.call("POST", path, token: token, json: json)
            #expect(reply.status == 201)
            let made = try reply.decode(Made.self)
            let address = "/v1/playlists/\(made.id)/\(items)"
            for body in [#"{"uris":["\#(Self.fog)"]}"#, #"{"uris":["\#(Self.ferry)"],"position":0}"#] {
                let added = try await client.call("POST", address, token: token, json: body)
                #expect(added.status == 201)
                #expect(!added.text.contains(made.snapshotId))
            }
            let list = try await client.get("/v1/me/playlists?limit=1", token: token).text
            #expect(list.contains(#""name":"<Fog> & more""#))
            #expect(list.contains(#""\#(items)":{"#))
            #expect(list.contains(#""total":2"#))
            let content = try await client.get(address + "?limit=1", token: token).text
            #expect(content.contains(#""\#(item)":{"#))
            #expect(content.contains(#""name":"Night Ferry""#))
            #expect(content.contains(#"\#(items)?offset=1&limit=1""#))
            #expect(try await client.get("/v1/playlists/\(made.id)", token: token).text.contains("Nachtfähre"))
        }
    }

    @Test func `offer only the calls of the mode`() async throws {
        let json = #"{"name":"x"}"#
        try await Client.signedIn(.developmentMode) { client, token in
            let made = try await client.call("POST", "/v1/users/local-listener/playlists", token: token, json: json)
            #expect(made.status == 404)
            #expect(try await client.get("/v1/playlists/3dRain000000000000003/tracks", token: token).status == 404)
            #expect(try await client.call("PUT", "/v1/me/tracks?ids=x", token: token).status == 405)
            #expect(try await client.get("/v1/search?q=a&type=track&limit=11", token: token).status == 400)
            let profile = try await client.get("/v1/me", token: token).text
            #expect(!profile.contains("country"))
            #expect(!profile.contains("email"))
            let track = try await client.get("/v1/tracks/1cNightFerry0000000001", token: token).text
            #expect(!track.contains("popularity"))
        }
        try await Client.signedIn(.extendedQuota) { client, token in
            #expect(try await client.get("/v1/search?q=a&type=track&limit=50", token: token).status == 200)
            let profile = try await client.get("/v1/me", token: token).text
            #expect(profile.contains(#""country":"SE""#))
            #expect(profile.contains(#""email":"listener@local.example""#))
            let track = try await client.get("/v1/tracks/1cNightFerry0000000001", token: token).text
            #expect(track.contains(#""popularity":23"#))
        }
    }

    @Test(arguments: [
        (LocalSpotify.Mode.developmentMode, "/v1/me/library?uris=\(fog)"),
        (.extendedQuota, "/v1/me/tracks?ids=1cNachtfaehre000000005"),
    ])
    func `save and remove items`(mode: LocalSpotify.Mode, path: String) async throws {
        try await Client.signedIn(mode) { client, token in
            #expect(try await client.get("/v1/me/tracks", token: token).text.contains("Nachtfähre") == false)
            let saved = try await client.call("PUT", path, token: token)
            #expect(saved.status == 200)
            #expect(try await client.get("/v1/me/tracks?limit=1", token: token).text.contains("Nachtfähre"))
            #expect(try await client.get("/v1/me/library/contains?uris=\(Self.fog)", token: token).text == "[true]")
            #expect(try await client.call("DELETE", path, token: token).status == 200)
            #expect(try await client.get("/v1/me/tracks", token: token).text.contains("Nachtfähre") == false)
            #expect(try await client.get("/v1/me/albums", token: token).text.contains("Tides and Timetables"))
        }
    }

    @Test(arguments: [(0, 400), (1, 200), (50, 200), (51, 400)])
    func `save between one and fifty items with a call by ids`(count: Int, status: Int) async throws {
        try await Client.signedIn(.extendedQuota) { client, token in
            let ids = (0..<count).map { "id\($0)" }
            let list = ids.joined(separator: ",")
            #expect(try await client.call("PUT", "/v1/me/tracks?ids=\(list)", token: token).status == status)
            let json = String(decoding: try JSONEncoder().encode(["ids": ids]), as: UTF8.self)
            #expect(try await client.call("PUT", "/v1/me/tracks", token: token, json: json).status == status)
        }
    }

    @Test(arguments: [
        "/v1/albums/2bStillesWasser0000002", "/v1/albums/2bStillesWasser0000002/tracks",
        "/v1/artists/4aSommerregen000000002/albums", "/v1/artists/4aSommerregen000000002",
        "/v1/tracks/1cUeberDaecher00000004",
    ])
    func `contain the music`(path: String) async throws {
        try await Client.signedIn { client, token in
            let reply = try await client.get(path, token: token)
            #expect(reply.status == 200)
            #expect(reply.text.contains(path.contains("tracks") ? "Über den Dächern" : "Sommerregen"))
            let kind = path.split(separator: "/")[1]
            let missing = try await client.get("/v1/\(kind)/none", token: token)
            #expect(missing.text == #"{"error":{"message":"Resource not found","status":404}}"#)
        }
    }

    @Test(arguments: [
        ("GET", "/v1/me/player", "user-read-playback-state"),
        ("GET", "/v1/me/player/currently-playing", "user-read-currently-playing"),
        ("PUT", "/v1/me/player/pause", "user-modify-playback-state"),
        ("PUT", "/v1/me/player/repeat?state=off", "user-modify-playback-state"),
        ("PUT", "/v1/me/player/shuffle?state=true", "user-modify-playback-state"),
        ("GET", "/v1/me/player/recently-played", "user-read-recently-played"),
        ("GET", "/v1/me/top/tracks", "user-top-read"), ("GET", "/v1/me/top/artists", "user-top-read"),
        ("GET", "/v1/me/tracks", "user-library-read"),
        ("GET", "/v1/me/shows", "user-library-read"), ("GET", "/v1/me/playlists", "playlist-read-private"),
        ("POST", "/v1/me/playlists", "playlist-modify-public"),
        ("PUT", "/v1/me/library?uris=\(fog)", "user-library-modify"),
        ("PUT", "/v1/me/library?uris=spotify:artist:x", "user-follow-modify"),
    ])
    func `need the scope for each call`(method: String, path: String, scope: String) async throws {
        let json = method == "POST" ? #"{"name":"x"}"# : nil
        try await Client.signedIn(scopes: ["streaming"]) { client, token in
            let reply = try await client.call(method, path, token: token, json: json)
            #expect(reply.status == 403)
            #expect(reply.text == #"{"error":{"message":"Insufficient client scope","status":403}}"#)
            let challenge = #"Bearer realm="spotify", error="insufficient_scope", scope="\#(scope)""#
            #expect(reply.field("WWW-Authenticate") == challenge)
        }
        try await Client.signedIn(scopes: [scope]) { client, token in
            let reply = try await client.call(method, path, token: token, json: json)
            #expect(reply.status < 300)
        }
    }

    @Test func `refuse a token without a user`() async throws {
        try await LocalSpotify().serve { url in
            let client = Client(url)
            let form = "grant_type=client_credentials&client_id=local-web&client_secret=local-secret"
            struct Token: Decodable { let accessToken: String }
            let token = try await client.token(form).decode(Token.self).accessToken
            #expect(try await client.get("/v1/me", token: token).status == 403)
            #expect(try await client.get("/v1/search?q=night&type=track", token: token).status == 200)
        }
    }
}
