// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

extension TokenResponse {
    /// Replaces `expiration_date` (ISO 8601), which proxies made for SpotifyAPI send, with `expires_in`.
    ///
    /// The time counts from the answer's own `Date`, so that a wrong clock here or there has no effect.
    ///
    /// - Parameter sentAt: when the request was sent; used if the answer has no `Date`.
    package func replacingExpirationDate(sentAt: Date) -> TokenResponse {
        guard (200..<300).contains(statusCode), var members = (try? AnswerObject(self))?.members,
            members["expires_in"] ?? .null == .null, case .string(let text) = members["expiration_date"],
            let end = OAuthToken.date(text)
        else { return self }
        let dates = headerValues(for: "Date").lazy.compactMap { HTTPDate.parse($0, at: sentAt) }
        // Zero would count as absent, so that the token would never expire.
        members["expires_in"] = .number(max(0.001, end.timeIntervalSince(dates.first ?? sentAt)))
        members["expiration_date"] = nil
        guard let body = try? JSONEncoder().encode(members) else { return self }
        return TokenResponse(statusCode: statusCode, fields: fields, body: Array(body))
    }
}

extension OAuthToken {
    /// Reads ISO 8601 as Swift writes it, and with the offset that Apple's formatters write.
    package static func date(_ text: String) -> Date? {
        let plain = text.hasSuffix("+0000") ? "\(text.dropLast(5))Z" : text
        return (try? Date(plain, strategy: .iso8601))
            ?? (try? Date(plain, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
