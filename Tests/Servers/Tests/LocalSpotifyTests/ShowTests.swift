// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

@Suite struct `Shows over a socket` {
    private struct Page: Decodable {
        struct Episode: Decodable {
            let name: String
        }
        let items: [Episode]
        let next: String?
    }

    private static let show = "/v1/shows/6fPierTalk000000000001"
    private static let episode = "/v1/episodes/7gFerries0000000000001"

    @Test func `list their episodes page by page, in the named market`() async throws {
        try await Client.signedIn { client, token in
            let address = Self.show + "/episodes?limit=2&market=SE"
            let first = try await client.get(address, token: token).decode(Page.self)
            #expect(first.items.map(\.name) == ["Reading the tides", "Cranes & gulls"])
            let next = try #require(first.next)
            #expect(next == "\(client.url.absoluteString)\(Self.show)/episodes?market=SE&offset=2&limit=2")
            let second = try await client.get(String(next.dropFirst(client.url.absoluteString.count)), token: token)
            #expect(try second.decode(Page.self).items.map(\.name) == ["The last ferries"])
            #expect(!second.text.contains(#""show":"#), "the show contains them")
        }
    }

    @Test func `contain the resume point if the scope allows it`() async throws {
        let point = #""resume_point":{"fully_played":true,"resume_position_ms":2640000}"#
        for (scopes, isTold) in [(["user-read-playback-position"], true), (["streaming"], false)] as [(Set, Bool)] {
            try await Client.signedIn(scopes: scopes) { client, token in
                for path in [Self.show, Self.show + "/episodes", Self.episode] {
                    let reply = try await client.get(path, token: token)
                    #expect(reply.status == 200)
                    #expect(reply.text.contains(point) == isTold)
                }
            }
        }
    }

    @Test func `are available without a user if a market is named`() async throws {
        try await LocalSpotify().serve { url in
            let client = Client(url)
            let form = "grant_type=client_credentials&client_id=local-web&client_secret=local-secret"
            struct Token: Decodable { let accessToken: String }
            let token = try await client.token(form).decode(Token.self).accessToken
            for path in [Self.show, Self.show + "/episodes", Self.episode] {
                #expect(try await client.get(path, token: token).status == 404)
                #expect(try await client.get(path + "?market=sweden", token: token).status == 400)
                let reply = try await client.get(path + "?market=SE", token: token)
                #expect(reply.status == 200 && !reply.text.contains("resume_point"))
            }
            #expect(try await client.get("/v1/me/shows", token: token).status == 403)
        }
    }

    @Test(arguments: [
        ("/v1/shows/none", 404), ("/v1/shows/none/episodes", 404), ("/v1/episodes/none", 404),
        (show + "/episodes?limit=51", 400), (show + "/tracks", 404), (show + "/episodes?market=S", 400),
    ])
    func `answer with an error for missing items`(path: String, status: Int) async throws {
        try await Client.signedIn { client, token in
            let reply = try await client.get(path, token: token)
            #expect(reply.status == status)
        }
    }

    @Test func `are saved with the former path with Extended Quota`() async throws {
        let path = "/v1/me/shows?ids=6fPierTalk000000000001"
        try await Client.signedIn(.extendedQuota) { client, token in
            let reply = try await client.call("PUT", path, token: token)
            #expect(reply.status == 200)
            #expect(try await client.get("/v1/me/shows?limit=1", token: token).text.contains("Pier Talk"))
            #expect(try await client.call("DELETE", path, token: token).status == 200)
            #expect(try await client.get("/v1/me/shows", token: token).text.contains("Pier Talk") == false)
        }
        try await Client.signedIn { client, token in
            let reply = try await client.call("PUT", path, token: token)
            #expect(reply.status == 405)
        }
    }
}
