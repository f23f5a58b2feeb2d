// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// A client for a user's provider: what the user has not allowed is a ``MissingScopes`` before anything is sent.
    ///
    /// - Parameters:
    ///   - authorization: one for each user, shared.
    ///   - base: another server that stands in for `https://api.spotify.com`.
    ///   - session: sends the requests.
    ///   - quota: the shape of the Web API that the app sees.
    ///   - rateLimit: how long to wait after a 429.
    ///   - clock: waits.
    public init(
        authorization: RefreshableTokenAuthorization<OAuthToken>, base: URL? = nil, session: URLSession = .shared,
        quota: QuotaMode = .development, rateLimit: RateLimitPolicy = RateLimitPolicy(),
        clock: any AuthorizationClock = .system
    ) {
        self.init(
            authorization: authorization,
            missingScopes: { try await authorization.validToken().missingScopes(of: $0) }, base: base, session: session,
            quota: quota, rateLimit: rateLimit, clock: clock)
    }
}
