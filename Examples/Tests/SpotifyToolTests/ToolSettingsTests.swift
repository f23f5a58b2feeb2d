// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import SpotifyTool
import Testing

@Suite struct `The service that the tool uses` {
    @Test func `is Spotify itself, with a client ID and perhaps a secret`() throws {
        let open = try ToolSettings(
            local: false, account: "me", environment: ["CLIENT_ID": "abc", "CLIENT_SECRET": ""])
        #expect(open.clientID == "abc" && open.clientSecret == nil && open.local == nil)
        #expect(open.command("login") == "spotify login")

        let confidential = try ToolSettings(
            local: false, account: "work", environment: ["CLIENT_ID": "abc", "CLIENT_SECRET": "hush"])
        #expect(confidential.clientSecret == "hush")
        #expect(confidential.command("login") == "spotify login --account work")
        var dumped = ""
        dump(confidential, to: &dumped)
        #expect(!dumped.contains("hush") && !"\(confidential)".contains("hush"))
    }

    @Test func `is the local one, at the address of the environment or at the default port`() throws {
        let usual = try ToolSettings(local: true, account: "me", environment: ["CLIENT_ID": "abc"])
        #expect(usual.local?.absoluteString == "http://127.0.0.1:8181")
        #expect(usual.command("login") == "spotify login --local")
        let there = try ToolSettings(
            local: true, account: "me", environment: ["SPOTIFY_LOCAL": "http://127.0.0.1:40123/"])
        #expect(there.local?.absoluteString == "http://127.0.0.1:40123/")
    }

    @Test func `is the local one with its own clients, never with an app at Spotify`() throws {
        let (mine, its) = (
            ["CLIENT_ID": "abc", "CLIENT_SECRET": "hush"], ["CLIENT_ID": "local-web", "CLIENT_SECRET": "x"]
        )
        let open = try ToolSettings(local: true, account: "me", environment: mine)
        #expect(open.clientID == "local-client" && open.clientSecret == nil)
        let confidential = try ToolSettings(local: true, account: "me", environment: its)
        #expect(confidential.clientID == "local-web" && confidential.clientSecret == "x")
        #expect(
            try ToolSettings(local: true, account: "me", environment: ["CLIENT_SECRET": "hush"]).clientSecret == nil)
    }

    @Test func `is missing without a client ID`() {
        #expect { try ToolSettings(local: false, account: "me", environment: [:]) } throws: { error in
            let failure = error as? ToolFailure
            return failure?.status == .configuration && failure?.advice?.contains("--local") == true
        }
    }

    @Test(arguments: [
        "http://accounts.spotify.com:80", "https://127.0.0.1:8181", "http://127.0.0.1", "http://localhost:8181",
        "http://127.0.0.1.evil.example:80", "http://127.0.0.1:1@evil.example:80", "http://127.0.0.1:80/x",
        "http://me@127.0.0.1:80", "http://127.0.0.1:80?x", "127.0.0.1:80", "no address", "http://127.0.0.1:0",
        "http://127.0.0.1:65536",
    ])
    func `is not a local one on another machine or without a port`(address: String) {
        #expect { try ToolSettings(local: true, account: "me", environment: ["SPOTIFY_LOCAL": address]) } throws: {
            ($0 as? ToolFailure)?.status == .configuration
        }
    }
}
