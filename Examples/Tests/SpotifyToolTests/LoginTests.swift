// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `spotify login` {
    @Test func `keeps the token for the commands that follow`() async throws {
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

    @Test func `asks for the scopes that are named and no others`() async throws {
        try await Person.with { person in
            let (result, _, _) = try await person.login("--no-browser", "--scope", "user-read-email")
            #expect(result.output.contains(" user-read-email\n"))

            let now = try await person.run("now")
            #expect(now.status == 77)
            #expect(now.errors.contains("user-read-playback-state"))
            #expect(now.errors.contains("spotify login --local"))
        }
    }

    @Test func `ends with 77 if access is denied, and leaves who was signed in`() async throws {
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

    @Test func `opens the page in the browser, and prints it all the same`() async throws {
        try await Person.with { person in
            let folder = FileManager.default.temporaryDirectory.appending(path: "bin-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            for name in ["xdg-open", "open"] {
                let program = folder.appending(path: name)
                try Data("#!/bin/sh\nprintf %s \"$*\" >\"$0.opened\"\necho noise\n".utf8).write(to: program)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
            }
            let path = folder.path() + ":/usr/bin:/bin"
            let (result, _, printed) = try await person.login(environment: ["PATH": path])
            #expect(result.status == 0)
            #expect(!(result.output + result.errors).contains("noise"))
            let opened = ["xdg-open", "open"].compactMap {
                try? String(contentsOf: folder.appending(path: "\($0).opened"), encoding: .utf8)
            }
            #expect(opened == [printed])
        }
    }

    @Test func `says how to start the local Spotify where there is none`() async throws {
        // Nobody listens on port 1.
        for command in ["login", "me"] {
            let result = try await Running.run(
                [command, "--local"],
                environment: ["SPOTIFY_LOCAL": "http://127.0.0.1:1", "XDG_STATE_HOME": "/nowhere"])
            #expect(result.status == (command == "login" ? 69 : 77))
            if command == "login" {
                #expect(result.errors.contains("the local Spotify at http://127.0.0.1:1 cannot be reached"))
                #expect(result.errors.contains("spotify serve"))
            }
        }
    }

    @Test func `refuses the device flow at Spotify itself`() async throws {
        let result = try await Running.run(["login", "--device"], environment: ["CLIENT_ID": "abc"])
        #expect(result.status == 64)
        #expect(result.errors.contains("Spotify has no device sign-in for ordinary apps"))
    }

    @Test func `wants a client ID at Spotify itself`() async throws {
        for command in ["login", "logout", "status", "me", "now"] {
            let result = try await Running.run([command], environment: [:])
            #expect(result.status == 78)
            #expect(result.errors.contains("CLIENT_ID is not set"))
            #expect(result.output == "")
        }
    }
}
