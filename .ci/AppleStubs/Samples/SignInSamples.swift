// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The samples of Documentation/Guide/SignIn.md for Apple's platforms. `.ci/check-apple-sources` checks their types.

import AuthenticationServices
import RequestAuthorizationOAuth

// sample: web-authentication
@MainActor func logIn(
    with service: OAuthTokenService, _ auth: RefreshableTokenAuthorization<OAuthToken>,
    window: ASPresentationAnchor
) async throws {
    let sheet: WebAuthenticationReceiver = .webAuthentication(redirectURI: "com.example.app:/callback") { window }
    try await auth.signIn { try await service.signIn(scopes: ["read"], through: sheet) }
}
// end sample
