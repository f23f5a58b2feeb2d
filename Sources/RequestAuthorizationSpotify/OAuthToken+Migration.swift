// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationOAuth

extension OAuthToken {
    /// Reads the encoded authorization manager of SpotifyAPI, so that a user who is signed in there stays signed in:
    ///
    ///     {"access_token":"…","refresh_token":"…","scope":"a b","expiration_date":"2026-11-21T17:00:00Z","backend":{…}}
    ///
    /// It has the format of `AuthInfo` (Peter-Schorn/SpotifyAPI). Pass it to `setToken(_:)`, then delete the data.
    ///
    /// - Throws: ``UnreadableToken`` that names the member.
    public init(spotifyAPI data: Data) throws {
        try self.init(
            migrating: data,
            from: Names(
                format: "SpotifyAPI", accessToken: "access_token", refreshToken: "refresh_token",
                expiry: "expiration_date"))
    }

    /// Reads the `SpotifyTokens` of SpotifyKit in the format of its stores:
    ///
    ///     {"accessToken":"…","refreshToken":"…","expiresAt":"2026-11-21T17:00:00Z","scope":"a b","tokenType":"Bearer"}
    ///
    /// Dates in the default format of `JSONEncoder` are read too.
    ///
    /// - Throws: ``UnreadableToken`` that names the member.
    public init(spotifyKit data: Data) throws {
        try self.init(
            migrating: data,
            from: Names(
                format: "SpotifyKit", accessToken: "accessToken", refreshToken: "refreshToken", expiry: "expiresAt"))
    }

    private struct Names {
        let format, accessToken, refreshToken, expiry: String
    }

    private init(migrating data: Data, from names: Names) throws {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: data) else {
            throw UnreadableToken(format: names.format, member: nil)
        }
        func text(_ name: String) -> String? {
            if case .string(let text) = members[name], !text.isEmpty { text } else { nil }
        }
        guard let accessToken = text(names.accessToken) else {
            throw UnreadableToken(format: names.format, member: names.accessToken)
        }
        let expiry: Date
        switch members[names.expiry] {
        case .string(let text)?:
            guard let date = Self.date(text) else { throw UnreadableToken(format: names.format, member: names.expiry) }
            expiry = date
        case let number?:
            expiry = number.numberOrNumeral.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantPast
        case nil: expiry = .distantPast  // Both libraries treat such a token as expired.
        }
        self.init(
            accessToken: accessToken, refreshToken: text(names.refreshToken), tokenType: text("tokenType") ?? "Bearer",
            scopes: ServerQuirks().scopes(in: text("scope") ?? ""), expiresAt: expiry)
    }
}
