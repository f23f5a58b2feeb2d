// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
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

/// The stored data of another library contain no readable token.
public struct UnreadableToken: Error, Hashable, CustomStringConvertible {
    /// The library that wrote the data.
    public let format: String
    /// The member that is missing or malformed; `nil` if the data are not a JSON object.
    public let member: String?

    public init(format: String, member: String?) {
        self.format = format
        self.member = member
    }

    public var description: String {
        "the data that \(format) stored cannot be read: "
            + (member.map { "\($0) is missing or malformed" } ?? "they are not a JSON object") + "; sign in again"
    }
}

extension OAuthToken {
    /// Reads ISO 8601 as Swift writes it, and with the offset that Apple's formatters write.
    static func date(_ text: String) -> Date? {
        let plain = text.hasSuffix("+0000") ? "\(text.dropLast(5))Z" : text
        return (try? Date(plain, strategy: .iso8601))
            ?? (try? Date(plain, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
