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
    let endpoint: JSONTokenEndpoint

    func logIn(as user: String, password: String) async throws -> WidgetToken {
        try await token(for: ["user": user, "password": password])
    }

    func refresh(_ token: WidgetToken) async throws -> WidgetToken {
        try await self.token(for: ["refresh_token": token.refreshToken])
    }

    private func token(for fields: [String: String]) async throws -> WidgetToken {
        struct Answer: Decodable { let accessToken: String, refreshToken: String?, expiresIn: TimeInterval }
        let answer = try await endpoint.post(fields, expecting: Answer.self)
        // An answer without a refresh token leaves the old one in force.
        guard let refreshToken = answer.body.refreshToken ?? fields["refresh_token"] else {
            throw InvalidTokenResponse(field: "refresh_token", problem: .missing)
        }
        return WidgetToken(
            accessToken: answer.body.accessToken, refreshToken: refreshToken,
            expiresAt: answer.sentAt + answer.body.expiresIn)
    }
}
// end sample
