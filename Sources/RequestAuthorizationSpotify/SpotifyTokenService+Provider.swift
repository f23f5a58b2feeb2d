// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth
import RequestAuthorizationStorage

extension SpotifyTokenService {
    /// Makes a provider for a user of this app, or for the app itself. Make one for each and share it.
    ///
    ///     let auth = spotify.authorization(account: "me")
    ///
    /// A user's token is kept in the platform's default store: the Keychain on Apple's platforms, elsewhere a file
    /// with access for its owner only. The token of client credentials is not kept.
    ///
    /// - Parameters:
    ///   - account: a name that distinguishes this client's users.
    ///   - policy: when to refresh.
    ///   - clock: the system's, or a `ManualClock` in tests.
    public func authorization(
        account: String = "me", policy: RefreshPolicy = .default, clock: any AuthorizationClock = .system
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        guard configuration.flow != .clientCredentials else {
            return RefreshableTokenAuthorization(service: self, policy: policy, clock: clock)
        }
        let store = DefaultTokenStore<OAuthToken>(client: configuration.client.id, account: account)
        return authorization(store: store, policy: policy, clock: clock)
    }

    /// Makes a provider with a store of your choice.
    ///
    /// - Parameters:
    ///   - store: keeps the token.
    ///   - policy: when to refresh.
    ///   - clock: the system's, or a `ManualClock` in tests.
    public func authorization(
        store: some TokenStore<OAuthToken>, policy: RefreshPolicy = .default, clock: any AuthorizationClock = .system
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        RefreshableTokenAuthorization(service: self, store: store, policy: policy, clock: clock)
    }
}
