// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// A client for a user's provider. It throws ``MissingScopes`` for a call that the user has not allowed, before it
    /// sends a request.
    ///
    /// - Parameters:
    ///   - authorization: the provider of the user, shared by all clients.
    ///   - base: another server in place of `https://api.spotify.com`.
    ///   - session: sends the requests.
    ///   - quota: the variant of the Web API that the app gets.
    ///   - rateLimit: how to wait after a 429.
    ///   - clock: the clock for waits.
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
