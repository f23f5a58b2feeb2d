// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

// sample: token
struct WidgetToken: AuthorizationToken, Codable, Equatable {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Date

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}

struct WidgetTokenService: RefreshableTokenService {
    let endpoint: URL
    let transport: any TokenTransport  // URLSession.shared, for instance

    func refresh(_ token: WidgetToken) async throws -> WidgetToken {
        try await exchange(["refresh_token": token.refreshToken])
    }
}
// end sample

// sample: exchange
extension WidgetTokenService {
    func logIn(as user: String, password: String) async throws -> WidgetToken {
        try await exchange(["user": user, "password": password])
    }

    private func exchange(_ grant: [String: String]) async throws -> WidgetToken {
        let sentAt = Date.now  // Expiry counts from here: the answer may take its time.
        let response = try await transport.send(
            TokenRequest(
                url: endpoint, fields: [("Content-Type", "application/json")],
                body: Array(JSONEncoder().encode(grant))))
        guard response.statusCode == 200 else { throw error(for: response) }
        let answer = try Self.decoder.decode(Answer.self, from: Data(response.body))
        // An answer without a refresh token leaves the old one in force.
        guard let refreshToken = answer.refreshToken ?? grant["refresh_token"] else { throw NoRefreshToken() }
        return WidgetToken(
            accessToken: answer.accessToken, refreshToken: refreshToken, expiresAt: sentAt + answer.expiresIn)
    }

    private func error(for response: TokenResponse) -> TokenEndpointError {
        let refusal = try? Self.decoder.decode(Refusal.self, from: Data(response.body))
        let seconds = response.headerValues(for: "Retry-After").first.flatMap { Int($0) }
        return TokenEndpointError(
            status: response.statusCode, code: refusal?.error, retryAfter: seconds.map { .seconds($0) })
    }
}
// end sample

extension WidgetTokenService {
    struct NoRefreshToken: Error {}

    private struct Answer: Decodable {
        let accessToken: String
        let refreshToken: String?
        let expiresIn: Double
    }

    private struct Refusal: Decodable {
        let error: String
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
