// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

/// The server's token endpoint, as the workers call it.
struct StressTokenService: RefreshableTokenService {
    let client: LoopbackClient
    let clock: any AuthorizationClock
    let execution: Execution

    func logIn() async throws -> StressToken { try await token(["grant_type": "password"]) }

    func refresh(_ token: StressToken) async throws -> StressToken {
        try await self.token(["grant_type": "refresh_token", "refresh_token": token.refreshToken])
    }

    // MARK: -

    private struct Answer: Decodable {
        let access_token: String
        let refresh_token: String
        let expires_in: Double
    }

    private struct Refusal: Decodable { let error: String }

    private func token(_ form: [String: String]) async throws -> StressToken {
        let sentAt = clock.now  // The lifetime counts from here, because the answer may be slow.
        let (status, body) = try await client.send("/token", form: form) { execution.pass(.beforeSend) }
        guard status == 200 else {
            let refusal = try? JSONDecoder().decode(Refusal.self, from: body)
            throw TokenEndpointError(status: status, code: refusal?.error)
        }
        let answer = try JSONDecoder().decode(Answer.self, from: body)
        return StressToken(
            accessToken: answer.access_token, refreshToken: answer.refresh_token,
            expiresAt: sentAt + answer.expires_in)
    }
}
