// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

/// The pair that Spotify's token endpoint answers with.
struct SpotifyToken: AuthorizationToken {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Date
    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}
