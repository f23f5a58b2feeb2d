// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Receives each event of a provider, and wraps its token service.
package protocol AuthorizationReporter: Sendable {
    /// Called on the thread that caused the event, without a lock. Events of one transition come in order.
    func note(_ event: AuthorizationEvent)

    /// Returns the service to use for refreshes in place of the provider's own.
    func decorated<Token: AuthorizationToken>(_ service: any RefreshableTokenService<Token>)
        -> any RefreshableTokenService<Token>
}

extension RefreshableTokenAuthorization {
    /// Sends each event from now on to a reporter, in place of the former one.
    ///
    /// Unlike a listener, a reporter does not stop a pool from dropping the provider.
    package nonisolated func report(to reporter: any AuthorizationReporter) { core.reporter = reporter }

    nonisolated var service: any RefreshableTokenService<Token> {
        core.reporter?.decorated(bareService) ?? bareService
    }
}
