// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationURLSession
import SpotifyWebAPI

/// The logic of the commands. The target `spotify` only reads their options.
///
///     let tool = Tool(try ToolSettings(local: true, account: "me"), ToolOutput(json: false))
///     try await tool.me()
///
/// Each command is a process of its own. They share the token through the store for tools, so that two commands that
/// run at the same time refresh it only once.
public struct Tool: Sendable {
    let settings: ToolSettings
    let output: ToolOutput
    let service: SpotifyTokenService
    let authorization: RefreshableTokenAuthorization<OAuthToken>
    let store: RestrictedFileTokenStore<OAuthToken>
    let clock: any AuthorizationClock

    /// Makes no calls.
    public init(_ settings: ToolSettings, _ output: ToolOutput) { self.init(settings, output, clock: .system) }

    init(_ settings: ToolSettings, _ output: ToolOutput, clock: any AuthorizationClock) {
        (self.settings, self.output, self.clock) = (settings, output, clock)
        service = settings.service(clock: clock)
        store = .tool(client: settings.clientID, account: settings.account)
        authorization = service.authorization(store: store, policy: .tool, clock: clock)
    }

    /// A client of the Web API that authorizes its requests.
    var webAPI: SpotifyClient { SpotifyClient(authorization: authorization, base: settings.local, clock: clock) }

    // sample: run
    /// Runs a command, waits for its refresh to be stored, and translates its error for the user.
    ///
    /// Ctrl-C, SIGTERM and SIGHUP cancel the command. If a refresh is under way, the program first waits until its result
    /// is stored: the answer may be the only copy of a new refresh token. Then it ends by the signal. A second signal
    /// ends it at once. If the reader of the results has gone, the program ends by SIGPIPE.
    ///
    /// - Throws: ``ToolFailure``.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let signals = await EndingSignals.watched()
        let command = Task { try await body() }
        signals.onFirst { command.cancel() }
        let result = await command.result
        let unsettled = await settle()
        let isUnread = if case .failure(is ToolOutput.ClosedPipe) = result { true } else { false }
        if let signal = signals.received ?? (isUnread ? SIGPIPE : nil) {
            if let unsettled { output.show(unsettled) }
            EndingSignals.endProgram(by: signal)
        }
        do { try result.get() } catch { throw ToolFailure(error, of: settings) }
        if let unsettled { throw unsettled }
    }

    /// Waits until the token that the next command needs is stored.
    private func settle() async -> ToolFailure? {
        do {
            try await authorization.settle(within: .seconds(10))
            return nil
        } catch {
            return ToolFailure(error, of: settings)
        }
    }
    // end sample
}
