// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorization
@testable import RequestAuthorizationOAuth

extension Target {
    static let jsonShapes = [
        "{\"a\":1,", "{", "[", "\"", "\\", "{\"a\":\"\\\"", "\"a\":1,", ",", "{\"a\":[", "1", " ", "{\"a\":}",
        "\"access_token\":\"x\",",
        "{\"\\u00e9\":", "-", "\"a\":{\"b\":[],", "}", "{\"a\":1e9999,",
    ]

    /// An answer of a token endpoint, and what the token is kept as.
    static let answers = Target("answers", shapes: jsonShapes) { input in
        let response = TokenResponse(statusCode: 200, body: input)
        guard let answer = try? AnswerObject(response) else { return }
        let quirks = ServerQuirks()
        _ = (answer.isError(quirks), answer.errorCode(at: "error.code"), answer.date("client_secret_expires_at"))
        let token = try? OAuthToken(
            answer, sentAt: Date(timeIntervalSince1970: 1_800_000_000), requestedScopes: ["a"], replacing: nil,
            quirks: quirks)
        guard let token else { return }
        claim(!"\(token)".contains(token.accessToken) || token.accessToken.utf8.count < 20, "the token is printed")
    }

    private struct OwnAnswer: Codable, Equatable {
        let accessToken: String
        let expiresAt: Date?
        let error: String?
    }

    /// An answer of an app's own server.
    static let jsonAnswers = Target("json-answers", shapes: jsonShapes) { input in
        guard let url = URL(string: "https://own.example/token") else { return }
        let endpoint = JSONTokenEndpoint(
            url, transport: OneAnswer(body: input), keys: .convertFromSnakeCase, dates: .iso8601)
        _ = try? endpoint.decode(OwnAnswer.self, TokenResponse(statusCode: 200, body: input))
        _ = endpoint.error(in: TokenResponse(statusCode: 400, body: input), to: TokenRequest(url: url))
    }
}

/// Gives the same body for every request.
struct OneAnswer: TokenTransport {
    let body: [UInt8]

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        TokenResponse(statusCode: 200, fields: [(name: "Content-Type", value: "application/json")], body: body)
    }
}
