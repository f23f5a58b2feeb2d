// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A proxy between an app and the token endpoint: the app's own server, which keeps the client's secret.
extension AccountsService {
    /// Adds to a call of `POST /proxy/token` or `POST /proxy/refresh` what only the proxy knows: the client's id and
    /// secret.
    ///
    /// The app sends `code`, `redirect_uri` and, with PKCE, `code_verifier`; or `refresh_token`; or just the grant type
    /// `client_credentials`. The proxy ignores any client authentication that the app sends.
    func completed(_ call: Call) -> Call {
        guard let client = proxyClient else { return call }
        var call = call
        call.authorization = nil
        call.form["client_id"] = client.id
        call.form["client_secret"] = client.secret
        if call.path == "/proxy/refresh" {
            call.form["grant_type"] = GrantType.refreshToken.rawValue
        } else if call.form["grant_type"] != GrantType.clientCredentials.rawValue {
            call.form["grant_type"] = GrantType.authorizationCode.rawValue
        }
        return call
    }
}
