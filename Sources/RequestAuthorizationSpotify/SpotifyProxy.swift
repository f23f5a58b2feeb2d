// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A server of yours that keeps the client secret and forwards token requests to Spotify.
///
///     let proxy = SpotifyProxy(tokenURL: backend.appending(path: "token"), refreshURL: backend.appending(path: "refresh"))
///     let spotify = SpotifyTokenService.authorizationCode(clientID: "CLIENT_ID", proxy: proxy, …)
///
/// It gets the form that Spotify would get, without the secret, and returns Spotify's answer as it is: with `code`,
/// `redirect_uri` and `code_verifier`, or with `refresh_token`, or with `grant_type=client_credentials` alone; always with
/// `grant_type` and `client_id`. It must forward `code_verifier`, in all flows.
///
/// A proxy that was made for SpotifyAPI will do: `expiration_date` (ISO 8601) is read where there is no `expires_in`. Errors in a
/// shape of its own are for the closure `proxyError` of the service's factories. It is asked about every answer first, and what it returns
/// is thrown; `nil` leaves the answer to be read as Spotify's:
///
///     proxyError: { answer in
///         answer.statusCode == 403 ? TokenEndpointError(status: 403, code: "not_a_member", kind: .transient) : nil
///     }
public struct SpotifyProxy: Sendable, Hashable, Codable {
    /// Where codes are exchanged, and client credentials.
    public var tokenURL: URL
    /// Where refresh tokens are exchanged; at the same address if `nil`.
    public var refreshURL: URL?

    public init(tokenURL: URL, refreshURL: URL? = nil) {
        self.tokenURL = tokenURL
        self.refreshURL = refreshURL
    }
}
