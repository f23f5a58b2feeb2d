// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import RequestAuthorizationTesting
import Testing

@Suite struct `The player over a socket` {
    private struct State: Decodable {
        struct Device: Decodable {
            let id: String
            let volumePercent: Int
        }
        struct Context: Decodable { let uri: String }
        struct Item: Decodable { let name: String }
        let device: Device?
        let context: Context?
        let isPlaying, shuffleState: Bool
        let repeatState: String
        let progressMs: Int
        let item: Item
    }

    /// Signs a user in. The closure makes a call and returns the state of the player afterwards.
    private func withPlayer(
        clock: ManualClock = ManualClock(),
        _ body: (LocalSpotify, Client, String, (String, String, String?) async throws -> State) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(clock: clock)
        try await spotify.serve { url in
            let client = Client(url)
            let token = try await client.signIn(at: spotify).accessToken
            try await body(spotify, client, token) { method, path, json in
                let reply = try await client.call(method, "/v1/me/player" + path, token: token, json: json)
                #expect(reply.status == 204)
                return try await client.get("/v1/me/player", token: token).decode()
            }
        }
    }

    private static let tides = "spotify:album:2bTidesAndTimetables01"
    private static let rain = "spotify:playlist:3dRain000000000000003"
    private static let fog = "spotify:track:1cNachtfaehre000000005"
    private static let roofs = "spotify:track:1cUeberDaecher00000004"

    @Test(arguments: [Int.max, -1, Int.min])
    func `a position outside of the track is its end or its beginning`(position: Int) async throws {
        try await withPlayer { _, _, _, act in
            for place in [#""uris":["\#(Self.fog)"],"#, ""] {
                let state = try await act("PUT", "/play", #"{\#(place)"position_ms":\#(position)}"#)
                #expect(state.progressMs == (position < 0 ? 0 : 258_999))
            }
        }
    }

    @Test func `pauses, and keeps its position until it is resumed`() async throws {
        let clock = ManualClock()
        try await withPlayer(clock: clock) { _, _, _, act in
            _ = try await act("PUT", "/play", #"{"position_ms":5000}"#)
            clock.advance(by: .seconds(3))
            let paused = try await act("PUT", "/pause", nil)
            clock.advance(by: .seconds(60))
            let resumed = try await act("PUT", "/play", nil)

            #expect(!paused.isPlaying)
            #expect(paused.progressMs == 8000)
            #expect(resumed.isPlaying)
            #expect(resumed.progressMs == 8000)
        }
    }

    @Test(arguments: [
        (#"{"context_uri":"\#(tides)"}"#, "Night Ferry", tides as String?),
        (#"{"context_uri":"\#(tides)","offset":{"position":2}}"#, "Lighthouse Keeping", tides),
        (
            #"{"context_uri":"\#(rain)","offset":{"uri":"spotify:track:1cLighthouse0000000003"}}"#,
            "Lighthouse Keeping", rain
        ),
        (#"{"uris":["\#(roofs)","\#(fog)"],"offset":{"position":1},"position_ms":1000}"#, "Nachtfähre & Nebel", nil),
    ])
    func `plays the requested items from the requested position`(json: String, name: String, context: String?)
        async throws
    {
        try await withPlayer { _, _, _, act in
            let state = try await act("PUT", "/play", json)
            #expect(state.item.name == name)
            #expect(state.context?.uri == context)
            #expect(state.progressMs == (json.contains("position_ms") ? 1000 : 0))
        }
    }

    @Test func `goes to the next track and back, also at the end of a track`() async throws {
        let clock = ManualClock()
        try await withPlayer(clock: clock) { _, client, token, act in
            #expect(try await act("POST", "/next", nil).item.name == "Last Train to the Harbour")
            #expect(try await act("POST", "/previous", nil).item.name == "Night Ferry")
            clock.advance(by: .seconds(215))
            let state = try await client.get("/v1/me/player", token: token).decode(State.self)
            #expect(state.item.name == "Last Train to the Harbour")
            #expect(state.progressMs == 1000)
        }
    }

    @Test func `plays what is queued before the rest`() async throws {
        struct Queue: Decodable {
            struct Item: Decodable { let name: String }
            let currentlyPlaying: Item
            let queue: [Item]
        }
        try await withPlayer { _, client, token, act in
            _ = try await act("POST", "/queue?uri=\(Self.fog)", nil)
            let queue = try await client.get("/v1/me/player/queue", token: token).decode(Queue.self)
            #expect(queue.currentlyPlaying.name == "Night Ferry")
            #expect(queue.queue.map(\.name).prefix(2) == ["Nachtfähre & Nebel", "Last Train to the Harbour"])
            #expect(try await act("POST", "/next", nil).item.name == "Nachtfähre & Nebel")
            #expect(try await act("POST", "/next", nil).item.name == "Last Train to the Harbour")
        }
    }

    @Test(arguments: [
        ("off", "Night Ferry", false, 0), ("track", "Lighthouse Keeping", true, 1000),
        ("context", "Night Ferry", true, 1000),
    ])
    func `repeats the track, the list or nothing`(mode: String, name: String, goesOn: Bool, progress: Int) async throws
    {
        let clock = ManualClock()
        try await withPlayer(clock: clock) { _, client, token, act in
            _ = try await act("PUT", "/play", #"{"context_uri":"\#(Self.tides)","offset":{"position":2}}"#)
            #expect(try await act("PUT", "/repeat?state=\(mode)", nil).repeatState == mode)
            clock.advance(by: .seconds(244))
            let state = try await client.get("/v1/me/player", token: token).decode(State.self)
            #expect(state.item.name == name)
            #expect(state.isPlaying == goesOn)
            #expect(state.progressMs == progress)
        }
    }

    @Test func `shuffles later contexts too, and a queued track stays first`() async throws {
        try await withPlayer { _, _, _, act in
            #expect(try await act("PUT", "/shuffle?state=true", nil).shuffleState)
            let place = #"{"context_uri":"\#(Self.tides)","offset":{"position":2}}"#
            #expect(try await act("PUT", "/play", place).item.name == "Lighthouse Keeping")
            _ = try await act("POST", "/queue?uri=\(Self.fog)", nil)
            #expect(try await act("POST", "/next", nil).item.name == "Nachtfähre & Nebel")
            #expect(try await act("POST", "/next", nil).item.name == "Last Train to the Harbour")
            #expect(try await act("POST", "/next", nil).item.name == "Night Ferry")
            #expect(try await act("PUT", "/shuffle?state=false", nil).item.name == "Night Ferry")
            #expect(try await act("POST", "/next", nil).item.name == "Last Train to the Harbour")
        }
    }

    @Test func `sets the volume, and plays on another device`() async throws {
        try await withPlayer { _, _, _, act in
            #expect(try await act("PUT", "/volume?volume_percent=11", nil).device?.volumePercent == 11)
            #expect(try await act("PUT", "/play?device_id=5eLocalPhone", nil).device?.id == "5eLocalPhone")
            let state = try await act("PUT", "", #"{"device_ids":["5eLocalSpeaker"]}"#)
            #expect(state.device?.id == "5eLocalSpeaker")
            #expect(state.device?.volumePercent == 11)
        }
    }

    @Test func `reports a missing active device in its own error object`() async throws {
        try await withPlayer { spotify, client, token, _ in
            await spotify.activate(device: nil)
            let reply = try await client.call("PUT", "/v1/me/player/play", token: token)
            let message = #""message":"Player command failed: No active device found","reason":"NO_ACTIVE_DEVICE""#
            #expect(reply.status == 404)
            #expect(reply.text == #"{"error":{\#(message),"status":404}}"#)
            #expect(try await client.get("/v1/me/player", token: token).status == 204)
        }
    }

    @Test(arguments: [
        ("PUT", "/play", #"{"context_uri":"spotify:album:none"}"#, 404), ("PUT", "/play", "{", 400),
        ("PUT", "/play", #"{"uris":["spotify:track:none"]}"#, 400),
        ("PUT", "/play", #"{"context_uri":"\#(tides)","offset":{"position":9}}"#, 400),
        ("PUT", "/play?device_id=none", nil, 404), ("PUT", "/volume?volume_percent=101", nil, 400),
        ("PUT", "/volume", nil, 400), ("PUT", "/repeat?state=always", nil, 400), ("PUT", "/repeat", nil, 400),
        ("PUT", "/shuffle?state=1", nil, 400), ("PUT", "/shuffle?state=true&device_id=none", nil, 404),
        ("PUT", "", #"{"device_ids":["5eLocalPhone","5eLocalSpeaker"]}"#, 400), ("PUT", "", #"{"device_ids":[]}"#, 400),
        ("PUT", "", #"{"device_ids":["none"]}"#, 404), ("PUT", "", "{}", 400), ("POST", "/queue?uri=none", nil, 404),
        ("DELETE", "/play", nil, 405),
    ])
    func `refuses an invalid command`(method: String, path: String, json: String?, status: Int) async throws {
        try await withPlayer { _, client, token, _ in
            let reply = try await client.call(method, "/v1/me/player" + path, token: token, json: json)
            #expect(reply.status == status)
            #expect(try await client.get("/v1/me/player", token: token).text.contains("Night Ferry"))
        }
    }
}
