// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A server of the app's own that keeps the client's secret and stands between the app and the token endpoint.
extension AccountsService {
    /// Puts into a call of `POST /proxy/token` or `POST /proxy/refresh` what the app behind the proxy does not have.
    ///
    /// The app sends `code`, `redirect_uri` and, with PKCE, `code_verifier`; or `refresh_token`; or just the grant type
    /// `client_credentials`. What it says of itself does not count.
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
