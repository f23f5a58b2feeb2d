// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationOAuth

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
