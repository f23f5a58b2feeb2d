// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

extension TokenResponse {
    /// The same with `expires_in` in place of `expiration_date`, which proxies made for SpotifyAPI answer (ISO 8601).
    ///
    /// The time counts from the answer's own `Date`: a clock that is wrong here, or there, changes nothing.
    ///
    /// - Parameter sentAt: when the request was sent, which counts if the answer has no date.
    package func replacingExpirationDate(sentAt: Date) -> TokenResponse {
        guard (200..<300).contains(statusCode), var members = (try? AnswerObject(self))?.members,
            members["expires_in"] ?? .null == .null, case .string(let text) = members["expiration_date"],
            let end = OAuthToken.date(text)
        else { return self }
        let dates = headerValues(for: "Date").lazy.compactMap { HTTPDate.parse($0, at: sentAt) }
        // Zero would mean that it never ends.
        members["expires_in"] = .number(max(0.001, end.timeIntervalSince(dates.first ?? sentAt)))
        members["expiration_date"] = nil
        guard let body = try? JSONEncoder().encode(members) else { return self }
        return TokenResponse(statusCode: statusCode, fields: fields, body: Array(body))
    }
}

extension OAuthToken {
    /// ISO 8601 as Swift, and with an offset as Apple's formatters, write it.
    package static func date(_ text: String) -> Date? {
        let plain = text.hasSuffix("+0000") ? "\(text.dropLast(5))Z" : text
        return (try? Date(plain, strategy: .iso8601))
            ?? (try? Date(plain, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
