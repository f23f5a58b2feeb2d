// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Your server, which keeps the client secret and forwards token requests to Spotify.
///
///     let proxy = SpotifyProxy(tokenURL: backend.appending(path: "token"), refreshURL: backend.appending(path: "refresh"))
///     let spotify = SpotifyTokenService.authorizationCode(clientID: "CLIENT_ID", proxy: proxy, …)
///
/// It receives Spotify's form without the secret, and returns Spotify's answer unchanged. The form always has
/// `grant_type` and `client_id`. A code comes with `code`, `redirect_uri` and `code_verifier`, a refresh with
/// `refresh_token`, and `grant_type=client_credentials` with nothing more. Always forward `code_verifier`.
///
/// A proxy for SpotifyAPI works too: `expiration_date` (ISO 8601) is read if there is no `expires_in`. If your proxy
/// has its own format of errors, pass the closure `proxyError` to the service. It is called with every answer first.
/// If it returns an error, that is thrown; if it returns `nil`, the answer is read as Spotify's:
///
///     proxyError: { answer in
///         answer.statusCode == 403 ? TokenEndpointError(status: 403, code: "not_a_member", kind: .transient) : nil
///     }
public struct SpotifyProxy: Sendable, Hashable, Codable {
    /// The URL at which codes and client credentials are exchanged.
    public var tokenURL: URL
    /// The URL at which refresh tokens are exchanged; the same as ``tokenURL`` if it is `nil`.
    public var refreshURL: URL?

    public init(tokenURL: URL, refreshURL: URL? = nil) {
        self.tokenURL = tokenURL
        self.refreshURL = refreshURL
    }
}
