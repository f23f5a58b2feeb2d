// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `The calls of the tool` {
    @Test func `have results as text and as JSON`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            #expect(try await person.run("search", "night").output.contains("track  Night Ferry"))
            let found = try await person.run("search", "tides", "--kind", "album", "--kind", "artist", "--json")
            let hits = try JSONDecoder().decode([Hit].self, from: Data(found.output.utf8))
            #expect(hits == [Hit(kind: "album", name: "Tides and Timetables")])
            #expect(found.errors == "")
            #expect(try await person.run("search", "nothing like it").output == "Nothing was found.\n")
            #expect(try await person.run("search", " ").status == 64)

            let playlists = try await person.run("playlists", "--limit", "2")
            #expect(playlists.output.split(separator: "\n").count == 3, "a heading and two playlists")
            #expect(try await person.run("now").output.contains("Night Ferry"))
        }
    }

    @Test func `play and pause`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            #expect(try await person.run("pause", "--json").output == "{\n  \"done\" : \"paused\"\n}\n")
            #expect(try await person.run("now").output.hasPrefix("paused "))
            #expect(try await person.run("play", "spotify:track:1cLighthouse0000000003").status == 0)
            #expect(try await person.run("now").output.hasPrefix("playing Lighthouse Keeping"))
            #expect(try await person.run("play", "--device", "local PHONE").status == 0)
            #expect(try await person.run("now").output.contains("Local phone"))
            #expect(try await person.run("pause", "--device", "5eLocalSpeaker").status == 0)
            #expect(try await person.run("now").output.contains("Local speaker"))
            let absent = try await person.run("play", "--device", "kitchen")
            #expect(absent.status == 1)
            #expect(absent.errors.hasPrefix("error: no device is called 'kitchen'"))
            #expect(absent.errors.contains("Local speaker, Local phone"))
            let nonsense = try await person.run("play", "lighthouse")
            #expect(nonsense.status == 64)
            #expect(nonsense.errors.contains("'lighthouse' cannot be played"))
        }
    }

    @Test func `repeat and shuffle`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            let once = try await person.run("repeat", "track", "--json")
            #expect(once.output == "{\n  \"done\" : \"repeat track\"\n}\n")
            #expect(try await person.run("shuffle", "on", "--device", "local phone").output == "Shuffle: on.\n")
            let now = try await person.run("now", "--json").output
            #expect(now.contains(#""repeats" : "track""#) && now.contains(#""isShuffled" : true"#))
            #expect(now.contains("Local phone"))
            #expect(try await person.run("repeat", "always").status == 64)
            #expect(try await person.run("shuffle", "maybe").status == 64)
        }
    }

    @Test func `refresh a revoked token in any process`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            await person.spotify.revokeAccessTokens()
            #expect(try await person.run("me").status == 0)
            #expect(try await person.run("me").status == 0)
            #expect(await person.spotify.statistics.tokenCalls == 1)
        }
    }

    @Test func `report that the session has ended`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            await person.spotify.revokeSessions()
            let result = try await person.run("me")
            #expect(result.status == 77)
            #expect(result.errors.contains("has ended") && result.errors.contains("spotify login --local"))
            #expect(try await person.run("status").output.hasPrefix("not signed in"))
            #expect(try await person.run("me").errors.contains("not signed in to"))
            #expect(await person.spotify.tokenCalls.map(\.outcome) == [.signedIn, .familyEnded])
        }
    }

    @Test(arguments: [(Fault.status(500), Int32(69)), (.rateLimited(retryAfter: 3600), 75), (.dropped, 69)])
    func `report whether to try again`(fault: Fault, status: Int32) async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            await person.spotify.inject(fault, on: .webAPI, times: 10)
            let result = try await person.run("me")
            #expect(result.status == status, "\(result.errors)")
            #expect(result.output == "")
        }
    }

    private struct Hit: Decodable, Hashable {
        let kind: String
        let name: String
    }
}
