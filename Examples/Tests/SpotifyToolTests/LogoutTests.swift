// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `spotify logout` {
    @Test func `revokes the token and removes it`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            let token = try #require(try person.tokens.first)
            #expect(try await person.status(of: token) == 200)
            let result = try await person.run("logout")
            #expect(result.status == 0)
            #expect(result.output == "Signed out.\n")
            #expect(try await person.status(of: token) == 401, "it is revoked")
            #expect(try !person.kept.contains { $0.contains("accessToken") })
            #expect(try await person.run("status").status == 77)
            #expect(try await person.run("me").status == 77)
            #expect(try await person.run("logout").output == "You were not signed in.\n")
        }
    }

    @Test func `keeps a token that could not be revoked, except with --force`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            await person.spotify.inject(.dropped, on: .revocationEndpoint, times: 20)
            let result = try await person.run("logout")
            #expect(result.status == 69)
            #expect(result.errors.contains("still signed in") && result.errors.contains("--force"))
            #expect(try await person.run("status").status == 0)

            #expect(try await person.run("logout", "--force").status == 0)
            #expect(try await person.run("status").status == 77)
        }
    }

    @Test func `removes a token of another server, which gets no call`() async throws {
        try await Person.with { person in
            try await person.login("--no-browser")
            let token = try #require(try person.tokens.first)
            let status = try await withHeldPort { port in
                try await person.run("logout", environment: ["SPOTIFY_LOCAL": port.url("").absoluteString]).status
            }
            #expect(status == 0)
            #expect(try await person.run("status").status == 77)
            #expect(try await person.status(of: token) == 200, "only its own server could revoke it")
        }
    }
}
