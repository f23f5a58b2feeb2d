// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `spotify login` {
    @Test func `saves the token for later commands`() async throws {
        try await Person.with { person in
            let (result, page, _) = try await person.login("--no-browser")
            #expect(result.status == 0, "\(result.errors)")
            #expect(page.lowercased().contains("you can close this window"))
            #expect(result.output.hasPrefix("signed in to the local Spotify"))
            #expect(result.output.contains("user-read-playback-state"))

            let status = try await person.run("status", "--json")
            #expect(status.status == 0)
            #expect(status.output.contains(#""isSignedIn" : true"#))
            #expect(try await person.run("me").output.contains("Local Listener"))
        }
    }

    @Test func `is not necessary for the status of an expired token`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            try await person.expireToken()
            #expect(
                try await person.run("status").output.contains("expires               refreshed with the next call"))
            #expect(await person.spotify.tokenCalls.map(\.outcome) == [.signedIn])
            #expect(try await person.run("me").status == 0)
            #expect(await person.spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed])
        }
    }

    @Test func `requests only the named scopes`() async throws {
        try await Person.with { person in
            let (result, _, _) = try await person.login("--no-browser", "--scope", "user-read-email")
            #expect(result.output.contains(" user-read-email\n"))

            let now = try await person.run("now")
            #expect(now.status == 77)
            #expect(now.errors.contains("user-read-playback-state"))
            #expect(now.errors.contains("spotify login --local"))
        }
    }

    @Test func `ends with 77 if access is denied, and keeps the former sign-in`() async throws {
        try await Person.with { person in
            let denied = try await person.login("--no-browser", decision: .deny).result
            #expect(denied.status == 77)
            #expect(denied.errors.contains("access was denied"))
            #expect(denied.errors.contains("spotify login --local"))
            #expect(try await person.run("status").status == 77)

            try await person.login("--no-browser")
            #expect(try await person.login("--no-browser", decision: .deny).result.status == 77)
            #expect(try await person.run("me").status == 0)
        }
    }

    @Test func `keeps accounts apart`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser", "--account", "work")
            #expect(try await person.run("status", "--account", "work").status == 0)
            #expect(try await person.run("status").status == 77)
        }
    }

    @Test func `opens the page in the browser, and prints its address too`() async throws {
        try await Person.with { person in
            let browser = try BrowserStandIn()
            defer { browser.remove() }
            let (result, _, printed) = try await person.login(environment: ["PATH": browser.path])
            try #require(result.status == 0)
            #expect(!(result.output + result.errors).contains("noise"))
            #expect(await browser.said().first == printed)
        }
    }

    @Test func `signs an app in with its secret, which only the token endpoint sees`() async throws {
        let secret = "päss +&%41="
        let app = LocalSpotify.Client(id: "local-web", secret: secret, redirectURIs: ["http://127.0.0.1/callback"])
        let spotify = try LocalSpotify(clients: [app])
        try await Person.with(spotify, environment: ["CLIENT_ID": app.id, "CLIENT_SECRET": secret]) { person in
            let browser = try BrowserStandIn()
            defer { browser.remove() }
            let (result, _, printed) = try await person.login("--json", environment: ["PATH": browser.path])
            try #require(result.status == 0, "\(result.errors)")
            let said = await browser.said()
            #expect(said.first == printed && said.contains { $0.hasPrefix("CLIENT_ID=") })
            #expect(!said.contains { $0.contains("CLIENT_SECRET") || $0.contains("p%C3%A4ss") || $0.contains(secret) })

            await spotify.revokeAccessTokens()
            #expect(try await person.run("me", "--json").status == 0)
            #expect(await spotify.tokenCalls.map(\.outcome) == [.signedIn, .refreshed])
            #expect(try await person.run("status").status == 0)
            #expect(try await person.run("logout").output == "Signed out.\n")
        }
    }

    @Test func `reports a wrong client secret without printing it`() async throws {
        let wrong = ["CLIENT_ID": "local-web", "CLIENT_SECRET": "no-secret-of-mine"]
        try await Person.with(environment: wrong) { person in
            let login = try await person.login("--no-browser").result
            #expect(login.status == 78)
            #expect(login.errors.contains("Check CLIENT_ID and CLIENT_SECRET"))
            #expect(await person.spotify.tokenCalls.map(\.outcome) == [.badClient])

            let right = ["CLIENT_SECRET": "local-secret"]
            #expect(try await person.login("--no-browser", environment: right).result.status == 0)
            await person.spotify.revokeAccessTokens()
            let me = try await person.run("me")
            #expect(me.status == 78, "\(me.errors)")
            #expect(me.errors.contains("Check CLIENT_ID and CLIENT_SECRET, then: spotify login --local"))
        }
    }

    @Test func `explains how to start the local Spotify if it does not run`() async throws {
        try await withHeldPort { port in
            try await Person.with { person in
                let place = port.url("").absoluteString
                let login = try await person.run("login", environment: ["SPOTIFY_LOCAL": place])
                #expect(login.status == 69)
                #expect(login.errors.contains("the local Spotify at \(place) cannot be reached"))
                #expect(login.errors.contains("spotify serve"))
                #expect(try await person.run("me", environment: ["SPOTIFY_LOCAL": place]).status == 77)
            }
        }
    }

    @Test func `refuses the device flow at Spotify itself`() async throws {
        let result = try await Running.run(["login", "--device"], environment: ["CLIENT_ID": "abc"])
        #expect(result.status == 64)
        #expect(result.errors.contains("Spotify has no device sign-in for ordinary apps"))
    }

    @Test func `needs a client ID at Spotify itself`() async throws {
        for command in ["login", "logout", "status", "me", "now"] {
            let result = try await Running.run([command], environment: [:])
            #expect(result.status == 78)
            #expect(result.errors.contains("CLIENT_ID is not set"))
            #expect(result.output == "")
        }
    }
}
