// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization
public import RequestAuthorizationOAuth
import RequestAuthorizationStorage

extension SpotifyTokenService {
    /// A provider for a user of this app, or for the app itself: one for each, shared.
    ///
    ///     let auth = spotify.authorization(account: "me")
    ///
    /// Where a user signs in, the token is kept in the platform's default store: the Keychain on Apple's platforms, a file that
    /// only its user can open elsewhere. Client credentials are not kept.
    ///
    /// - Parameters:
    ///   - account: whose token it is: any name that tells this client's users apart.
    ///   - policy: when to refresh.
    ///   - clock: the machine's, or a `ManualClock` in tests.
    public func authorization(
        account: String = "me", policy: RefreshPolicy = .default, clock: any AuthorizationClock = .system
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        guard configuration.flow != .clientCredentials else {
            return RefreshableTokenAuthorization(service: self, policy: policy, clock: clock)
        }
        let store = DefaultTokenStore<OAuthToken>(client: configuration.client.id, account: account)
        return authorization(store: store, policy: policy, clock: clock)
    }

    /// The same with a store of your choice.
    public func authorization(
        store: some TokenStore<OAuthToken>, policy: RefreshPolicy = .default, clock: any AuthorizationClock = .system
    ) -> RefreshableTokenAuthorization<OAuthToken> {
        RefreshableTokenAuthorization(service: self, store: store, policy: policy, clock: clock)
    }
}
