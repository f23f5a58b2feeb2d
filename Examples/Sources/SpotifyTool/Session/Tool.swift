// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationURLSession
import SpotifyWebAPI

/// What the commands do; `spotify` only reads their options.
///
///     let tool = Tool(try ToolSettings(local: true, account: "me"), ToolOutput(json: false))
///     try await tool.me()
///
/// Each command is a process of its own. They share the token through the platform's default store, which keeps two that run
/// at the same time from refreshing twice.
public struct Tool: Sendable {
    let settings: ToolSettings
    let output: ToolOutput
    let service: SpotifyTokenService
    let authorization: RefreshableTokenAuthorization<OAuthToken>
    let store: DefaultTokenStore<OAuthToken>
    let clock: any AuthorizationClock

    /// Makes no call yet.
    public init(_ settings: ToolSettings, _ output: ToolOutput) { self.init(settings, output, clock: .system) }

    init(_ settings: ToolSettings, _ output: ToolOutput, clock: any AuthorizationClock) {
        (self.settings, self.output, self.clock) = (settings, output, clock)
        service = settings.service(clock: clock)
        store = .default(client: settings.clientID, account: settings.account)
        authorization = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
    }

    /// The Web API, with the token on its requests.
    var webAPI: SpotifyClient {
        SpotifyClient(
            authorization: authorization,
            missingScopes: { [authorization] in try await authorization.validToken().missingScopes(of: $0) },
            base: settings.local, clock: clock)
    }

    /// Runs a command, and says what a failure means here.
    ///
    /// - Throws: ``ToolFailure``.
    func run(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            let failure = ToolFailure(error, of: settings)
            if failure.status == .notSignedIn, (error as? NotAuthorized)?.reason == .rejected {
                // Whoever waits hears of a session's end at once; the store would only after this process has ended.
                await authorization.reset()
            }
            throw failure
        }
    }
}
