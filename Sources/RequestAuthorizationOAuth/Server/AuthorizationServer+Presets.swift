// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

extension AuthorizationServer {
    /// GitHub. It answers errors with status 200 and its own error codes, and separates scopes with commas.
    ///
    /// Its documentation: "Authorizing OAuth apps" and "Troubleshooting OAuth app access token request errors".
    public static var gitHub: AuthorizationServer {
        let base = "https://github.com/login"
        return AuthorizationServer(
            authorizationEndpoint: URL(string: "\(base)/oauth/authorize"),
            tokenEndpoint: URL(string: "\(base)/oauth/access_token"),
            deviceAuthorizationEndpoint: URL(string: "\(base)/device/code"),
            quirks: ServerQuirks(
                scopeSeparators: [" ", ","],
                errorKinds: [
                    "bad_refresh_token": .terminal, "bad_verification_code": .terminal,
                    "incorrect_client_credentials": .client, "redirect_uri_mismatch": .client,
                ],
                signOutAdvice: "remove the app at https://github.com/settings/applications"))
    }

    /// Google. It gives a refresh token only with the authorization parameter `access_type` = `offline`.
    public static var google: AuthorizationServer {
        AuthorizationServer(
            issuer: "https://accounts.google.com",
            authorizationEndpoint: URL(string: "https://accounts.google.com/o/oauth2/v2/auth"),
            tokenEndpoint: URL(string: "https://oauth2.googleapis.com/token"),
            deviceAuthorizationEndpoint: URL(string: "https://oauth2.googleapis.com/device/code"),
            revocationEndpoint: URL(string: "https://oauth2.googleapis.com/revoke"))
    }
}
