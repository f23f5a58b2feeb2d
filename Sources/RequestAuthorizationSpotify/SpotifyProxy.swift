// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Your server, which keeps the client secret and forwards token requests to Spotify.
///
///     let proxy = SpotifyProxy(tokenURL: backend.appending(path: "token"), refreshURL: backend.appending(path: "refresh"))
///     let spotify = SpotifyTokenService.authorizationCode(clientID: "CLIENT_ID", proxy: proxy, …)
///
/// It receives Spotify's form without the secret, and returns Spotify's answer unchanged. The form always has
/// `grant_type` and `client_id`. A code comes with `code`, `redirect_uri` and `code_verifier`, a refresh with
/// `refresh_token`, and `grant_type=client_credentials` with nothing more. Always forward `code_verifier`.
///
/// A proxy for SpotifyAPI works too: `expiration_date` (ISO 8601) is read if there is no `expires_in`. If your proxy
/// has its own format of errors, pass the closure `proxyError` to the service. It is called with every answer first.
/// If it returns an error, that is thrown; if it returns `nil`, the answer is read as Spotify's:
///
///     proxyError: { answer in
///         answer.statusCode == 403 ? TokenEndpointError(status: 403, code: "not_a_member", kind: .transient) : nil
///     }
public struct SpotifyProxy: Sendable, Hashable, Codable {
    package var tokenURL: URL
    package var refreshURL: URL?

    /// Creates a proxy of its addresses.
    ///
    /// - Parameters:
    ///   - tokenURL: the URL at which codes and client credentials are exchanged.
    ///   - refreshURL: the URL at which refresh tokens are exchanged; by default the same.
    public init(tokenURL: URL, refreshURL: URL? = nil) { (self.tokenURL, self.refreshURL) = (tokenURL, refreshURL) }
}

/// Converts the answers of a ``SpotifyProxy`` that differ from Spotify's.
struct ProxyTransport: TokenTransport, RedactedDescription {
    let transport: any TokenTransport
    let clock: any AuthorizationClock
    /// Returns the error of an answer; `nil` if the answer has Spotify's format.
    let error: @Sendable (TokenResponse) -> (any Error)?

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        let sentAt = clock.now
        let response = try await transport.send(request)
        if let error = error(response) { throw error }
        return response.replacingExpirationDate(sentAt: sentAt)
    }
}

extension TokenResponse {
    /// Replaces `expiration_date` (ISO 8601), which proxies made for SpotifyAPI send, with `expires_in`.
    ///
    /// The time counts from the answer's own `Date`, so that a wrong clock here or there has no effect. If there is
    /// none, it counts from when the request was sent.
    func replacingExpirationDate(sentAt: Date) -> TokenResponse {
        // A damaged answer stays as it is: written anew it would look sound.
        guard (200..<300).contains(statusCode), let answer = try? AnswerObject(self), answer.isWhole,
            answer.repeated.isEmpty, answer.damaged.isEmpty, case var members = answer.members,
            members["expires_in"] ?? .null == .null,
            case .string(let text) = members["expiration_date"],
            let end = OAuthToken.date(text)
        else { return self }
        // Zero would count as absent, so that the token would never expire.
        members["expires_in"] = .number(max(0.001, end.timeIntervalSince(date(at: sentAt) ?? sentAt)))
        members["expiration_date"] = nil
        guard let body = try? JSONEncoder().encode(members) else { return self }
        return TokenResponse(statusCode: statusCode, fields: fields, body: Array(body))
    }
}
