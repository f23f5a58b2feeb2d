// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationURLSession

extension ToolSettings {
    /// The token service of Spotify or of the local Spotify.
    ///
    /// A sign-in begins and ends in one process, so it is pending in memory.
    func service(clock: any AuthorizationClock) -> SpotifyTokenService {
        if let clientSecret {
            return .authorizationCode(
                clientID: clientID, clientSecret: clientSecret, accounts: accounts, pendingSignIns: .inMemory,
                transport: URLSession.shared, clock: clock)
        }
        return .pkce(
            clientID: clientID, accounts: accounts, pendingSignIns: .inMemory, transport: URLSession.shared,
            clock: clock)
    }

    /// The local Spotify also supports revocation and sign-in on another device.
    var accounts: AuthorizationServer {
        guard let url = local else { return .spotify }
        var server = AuthorizationServer.spotify(accounts: url)
        server.issuer = Self.origin(of: url)
        server.announcesIssuer = true
        server.revocationEndpoint = url.appending(path: "api/revoke")
        server.deviceAuthorizationEndpoint = url.appending(path: "api/device")
        server.quirks.signOutAdvice = nil
        return server
    }

    /// Removes a slash at the end, because issuers are compared character by character (RFC 9207 §2.4).
    private static func origin(of url: URL) -> String? { Origin(url)?.description }
}
