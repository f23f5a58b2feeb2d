// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthToken {
    /// Reads the encoded authorization manager of SpotifyAPI, so that a user who is signed in there stays signed in:
    ///
    ///     {"access_token":"…","refresh_token":"…","scope":"a b","expiration_date":"2026-11-21T17:00:00Z","backend":{…}}
    ///
    /// It has the format of `AuthInfo` (Peter-Schorn/SpotifyAPI). Pass it to `setToken(_:)`, then delete the data.
    ///
    /// - Throws: an error whose text names the member that cannot be read.
    public init(spotifyAPI data: Data) throws {
        try self.init(
            migrating: data, of: "SpotifyAPI", accessToken: "access_token", refreshToken: "refresh_token",
            expiry: "expiration_date")
    }

    /// Reads the `SpotifyTokens` of SpotifyKit in the format of its stores:
    ///
    ///     {"accessToken":"…","refreshToken":"…","expiresAt":"2026-11-21T17:00:00Z","scope":"a b","tokenType":"Bearer"}
    ///
    /// Dates in the default format of `JSONEncoder` are read too.
    ///
    /// - Throws: an error whose text names the member that cannot be read.
    public init(spotifyKit data: Data) throws {
        try self.init(
            migrating: data, of: "SpotifyKit", accessToken: "accessToken", refreshToken: "refreshToken",
            expiry: "expiresAt")
    }

    /// - Parameter format: the library that wrote the data. The other names are those of its members.
    private init(
        migrating data: Data, of format: String, accessToken: String, refreshToken: String, expiry: String
    ) throws {
        func unreadable(_ member: String?) -> UnreadableToken { UnreadableToken(format: format, member: member) }
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: data) else {
            throw unreadable(nil)
        }
        guard let token = members[accessToken]?.text else { throw unreadable(accessToken) }
        let expiresAt: Date
        switch members[expiry] {
        case .string(let text)?:
            guard let date = Self.date(text) else { throw unreadable(expiry) }
            expiresAt = date
        case let number?:
            expiresAt = number.numberOrNumeral.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantPast
        case nil: expiresAt = .distantPast  // Both libraries treat such a token as expired.
        }
        self.init(
            accessToken: token, refreshToken: members[refreshToken]?.text,
            tokenType: members["tokenType"]?.text ?? "Bearer",
            scopes: ServerQuirks().scopes(in: members["scope"]?.text ?? ""), expiresAt: expiresAt)
    }
}

/// The stored data of another library contain no readable token.
package struct UnreadableToken: Error, Hashable, CustomStringConvertible {
    /// The library that wrote the data.
    package let format: String
    /// The member that is missing or malformed; `nil` if the data are not a JSON object.
    package let member: String?

    package init(format: String, member: String?) { (self.format, self.member) = (format, member) }

    package var description: String {
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
