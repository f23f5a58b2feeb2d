// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationOAuth

/// Reads what a ``SpotifyProxy`` answers in its own way as Spotify would say it.
struct ProxyTransport: TokenTransport, RedactedDescription {
    let transport: any TokenTransport
    let clock: any AuthorizationClock
    /// The error that an answer stands for; `nil` if it is to be read as Spotify's.
    let error: @Sendable (TokenResponse) -> (any Error)?

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        let sentAt = clock.now
        let response = try await transport.send(request)
        if let error = error(response) { throw error }
        return response.replacingExpirationDate(sentAt: sentAt)
    }
}
