// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationSpotify
import Testing

@Suite struct MigrationTests {
    private static let expiry = Date(timeIntervalSince1970: 1_763_745_600)  // 2025-11-21T17:20:00Z
    private static let expected = OAuthToken(
        accessToken: "a", refreshToken: "r", scopes: ["user-read-email", "streaming"], expiresAt: expiry)

    @Test(arguments: ["2025-11-21T17:20:00Z", "2025-11-21T17:20:00+0000", "2025-11-21T17:20:00.000Z"])
    func `tokens of SpotifyAPI's managers are read`(date: String) throws {
        let json = """
            {"backend":{"client_id":"c","client_secret":"s"},"access_token":"a","refresh_token":"r",
            "scope":"user-read-email streaming","expiration_date":"\(date)"}
            """
        #expect(try OAuthToken(spotifyAPI: Data(json.utf8)) == Self.expected)
    }

    @Test func `its client credentials have neither scopes nor a refresh token`() throws {
        let json = #"{"backend":{},"access_token":"a","expiration_date":"2025-11-21T17:20:00Z"}"#
        #expect(try OAuthToken(spotifyAPI: Data(json.utf8)) == OAuthToken(accessToken: "a", expiresAt: Self.expiry))
    }

    @Test(arguments: ["\"2025-11-21T17:20:00Z\"", "785438400", "785438400.0"])
    func `tokens of SpotifyKit's stores are read`(date: String) throws {
        let json = """
            {"accessToken":"a","refreshToken":"r","expiresAt":\(date),"scope":"streaming user-read-email",
            "tokenType":"Bearer"}
            """
        #expect(try OAuthToken(spotifyKit: Data(json.utf8)) == Self.expected)
    }

    @Test func `without an expiry both libraries treat a token as expired`() throws {
        #expect(try OAuthToken(spotifyAPI: Data(#"{"access_token":"a"}"#.utf8)).expiresAt == .distantPast)
        #expect(try OAuthToken(spotifyKit: Data(#"{"accessToken":"a"}"#.utf8)).expiresAt == .distantPast)
    }

    private static let unreadable: [(String, String?)] = [
        (#"{"backend":{}}"#, "access_token"), (#"{"access_token":7}"#, "access_token"), ("<xml>", nil), ("", nil),
        (#"{"access_token":"a","expiration_date":"tomorrow"}"#, "expiration_date"),
    ]

    @Test(arguments: unreadable)
    func `unreadable data is an error that names the member`(json: String, member: String?) {
        #expect(throws: UnreadableToken(format: "SpotifyAPI", member: member)) {
            try OAuthToken(spotifyAPI: Data(json.utf8))
        }
    }

    private static let unreadableOfSpotifyKit: [(String, String?)] = [
        (#"{"access_token":"a"}"#, "accessToken"), ("<xml>", nil),
        (#"{"accessToken":"a","expiresAt":"tomorrow"}"#, "expiresAt"),
    ]

    @Test(arguments: unreadableOfSpotifyKit)
    func `unreadable data of SpotifyKit are an error with its own names`(json: String, member: String?) {
        #expect(throws: UnreadableToken(format: "SpotifyKit", member: member)) {
            try OAuthToken(spotifyKit: Data(json.utf8))
        }
    }
}
