// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

/// Spotify's token endpoint: exchanges codes and refresh tokens.
struct SpotifyTokenService: RefreshableTokenService {
    let endpoint: URL
    let transport: any TokenTransport
    var timeout: Duration = .seconds(10)

    /// Exchanges the code that a sign-in ended with.
    func token(for code: String) async throws -> SpotifyToken {
        try await exchange([("grant_type", "authorization_code"), ("code", code)], keeping: nil)
    }

    func refresh(_ token: SpotifyToken) async throws -> SpotifyToken {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token.refreshToken)]
        return try await exchange(form, keeping: token.refreshToken)
    }

    // MARK: -

    private struct Answer: Decodable {
        let access_token: String
        let refresh_token: String?
        let expires_in: Double
    }

    private struct Refusal: Decodable { let error: String }

    private func exchange(_ form: [(String, String)], keeping refreshToken: String?) async throws -> SpotifyToken {
        let body = form.map { "\($0)=\(Self.escape($1))" }.joined(separator: "&")
        let request = TokenRequest(
            url: endpoint, fields: [("Content-Type", "application/x-www-form-urlencoded")], body: Array(body.utf8),
            timeout: timeout)
        let sentAt = Date.now  // A lifetime counts from here: the answer may take its time.
        let response = try await transport.send(request)
        guard response.statusCode == 200 else { throw Self.error(for: response) }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body))
        // RFC 6749 §6: an answer without a refresh token leaves the old one in force.
        guard let refreshToken = answer.refresh_token ?? refreshToken else {
            throw TokenEndpointError(status: 200, code: "invalid_grant")
        }
        return SpotifyToken(
            accessToken: answer.access_token, refreshToken: refreshToken, expiresAt: sentAt + answer.expires_in)
    }

    private static func error(for response: TokenResponse) -> TokenEndpointError {
        let retryAfter = response.headerValues(for: "Retry-After").first.flatMap { Int($0) }
        return TokenEndpointError(
            status: response.statusCode,
            code: try? JSONDecoder().decode(Refusal.self, from: Data(response.body)).error,
            retryAfter: retryAfter.map { .seconds($0) })
    }

    /// `URLComponents` would leave `+` as it is, which means a space in a form.
    private static func escape(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
