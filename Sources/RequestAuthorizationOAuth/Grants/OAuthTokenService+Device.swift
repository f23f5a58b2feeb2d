// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension OAuthTokenService {
    /// Begins a sign-in on another device (RFC 8628), for a television or a terminal without a browser.
    ///
    ///     let device = try await service.deviceSignIn(scopes: ["read"])
    ///     print(device.instructions)
    ///     try await auth.signIn { try await device.token() }
    ///
    /// Call it only when the user asked for it (§3.1), and let the user type the code. A user who is talked into
    /// entering an attacker's code signs the attacker in (§5.4).
    ///
    /// - Parameters:
    ///   - scopes: all scopes of the token; if there are none, the server chooses.
    ///   - parameters: extra parameters for this sign-in. They cannot replace parameters that the library sends.
    /// - Throws: ``AuthorizationServerError`` if the server has no such endpoint; `InvalidTokenResponse`,
    ///   `TokenEndpointError`, and errors of the transport.
    public func deviceSignIn(scopes: Set<String>, parameters: [String: String] = [:]) async throws -> DeviceSignIn {
        let server = endpoint.server
        let url = try server.endpoint(server.deviceAuthorizationEndpoint, named: "device_authorization_endpoint")
        var form = FormParameters(scopes.isEmpty ? [] : [("scope", server.quirks.text(of: scopes))])
        form.add(extra: parameters)
        form.add(try ResourceIndicator.parameters(endpoint.client.resources))
        form.add(extra: endpoint.client.authorizationParameters)
        let (sentAt, uptime) = (endpoint.clock.now, endpoint.clock.uptime)
        let authorization = try DeviceAuthorization(try await endpoint.object(form.list, to: url))
        return DeviceSignIn(
            authorization, scopes: scopes, endpoint: endpoint,
            expiresAt: sentAt.addingTimeInterval(authorization.lifetime / .seconds(1)),
            polling: DevicePolling(
                interval: authorization.interval, deadline: uptime + authorization.lifetime))
    }
}
