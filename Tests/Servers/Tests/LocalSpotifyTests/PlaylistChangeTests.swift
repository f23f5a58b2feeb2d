// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
import Testing

@Suite struct `A playlist that is changed over a socket` {
    private static let path = "/v1/playlists/3dRain000000000000003"
    private static let fog = "spotify:track:1cNachtfaehre000000005"

    @Test(arguments: [
        ("PUT", #"{"range_start":2,"insert_before":0}"#, "Invalid range"),
        ("PUT", #"{"range_start":-1,"insert_before":0}"#, "Invalid range"),
        ("PUT", #"{"range_start":0,"insert_before":3}"#, "Invalid range"),
        ("PUT", #"{"range_start":0,"insert_before":-1}"#, "Invalid range"),
        ("PUT", #"{"range_start":0,"insert_before":2,"range_length":0}"#, "Invalid range"),
        ("PUT", #"{"range_start":1,"insert_before":0,"range_length":2}"#, "Invalid range"),
        ("PUT", #"{"range_start":1,"insert_before":0,"range_length":\#(Int.max)}"#, "Invalid range"),
        ("PUT", #"{"range_start":0,"insert_before":2,"snapshot_id":"x"}"#, "Invalid snapshot_id"),
        ("PUT", "{}", "Error parsing JSON."), ("DELETE", "{}", "No uris provided"),
        ("DELETE", #"{"items":[]}"#, "No uris provided"),
        ("DELETE", #"{"tracks":[{"uri":"\#(fog)"}]}"#, "No uris provided"),
        (
            "DELETE", #"{"items":[{"uri":"spotify:album:1"}]}"#,
            "JSON body contains an invalid track uri: spotify:album:1"
        ),
        ("DELETE", #"{"items":[{"uri":"\#(fog)"}],"snapshot_id":"3dRain000000000000003-2"}"#, "Invalid snapshot_id"),
        (
            "DELETE", #"{"items":[\#(Array(repeating: #"{"uri":"\#(fog)"}"#, count: 101).joined(separator: ","))]}"#,
            "You can remove a maximum of 100 items per request."
        ),
    ])
    func `does not change if the call is not valid`(method: String, json: String, message: String) async throws {
        try await Client.signedIn { client, token in
            let before = try await client.get(Self.path, token: token).text
            let reply = try await client.call(method, Self.path + "/items", token: token, json: json)
            #expect(reply.text == #"{"error":{"message":"\#(message)","status":400}}"#)
            #expect(try await client.get(Self.path, token: token).text == before)
        }
    }

    @Test(arguments: [
        ("PUT", #"{"range_start":1,"insert_before":0}"#), ("DELETE", #"{"items":[{"uri":"\#(fog)"}]}"#),
    ])
    func `needs the scope, and gets a new snapshot id`(method: String, json: String) async throws {
        let address = Self.path + "/items"
        try await Client.signedIn(scopes: ["playlist-modify-public"]) { client, token in
            let reply = try await client.call(method, address, token: token, json: json)
            #expect(reply.status == 403)
            #expect(reply.field("WWW-Authenticate")?.contains(#"scope="playlist-modify-private""#) == true)
        }
        try await Client.signedIn(scopes: ["playlist-modify-private"]) { client, token in
            let reply = try await client.call(method, address, token: token, json: json)
            #expect(reply.status == 200)
            #expect(reply.text == #"{"snapshot_id":"3dRain000000000000003-2"}"#)
            let first = try await client.get(address + "?limit=1", token: token).text
            #expect(first.contains("Lighthouse Keeping"))
            let absent = try await client.call(method, "/v1/playlists/none/items", token: token, json: json)
            #expect(absent.status == 404)
        }
    }

    @Test func `has the former path and key with Extended Quota only`() async throws {
        let (items, tracks) = (Self.path + "/items", Self.path + "/tracks")
        let (new, old) = (#"{"items":[{"uri":"\#(Self.fog)"}]}"#, #"{"tracks":[{"uri":"\#(Self.fog)"}]}"#)
        try await Client.signedIn { client, token in
            let removed = try await client.call("DELETE", tracks, token: token, json: old)
            #expect(removed.status == 404)
        }
        try await Client.signedIn(.extendedQuota) { client, token in
            for (address, json, status) in [(tracks, new, 400), (tracks, old, 200), (items, new, 200)] {
                let removed = try await client.call("DELETE", address, token: token, json: json)
                #expect(removed.status == status)
            }
        }
    }
}
