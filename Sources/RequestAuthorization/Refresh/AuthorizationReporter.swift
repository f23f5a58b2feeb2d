// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Hears of each event of a provider, and stands around the calls of its service.
package protocol AuthorizationReporter: Sendable {
    /// Called where the event came about, with nothing locked. Events of one transition come in order.
    func note(_ event: AuthorizationEvent)

    /// The service that refreshes are done with in place of the provider's own.
    func decorated<Token: AuthorizationToken>(_ service: any RefreshableTokenService<Token>)
        -> any RefreshableTokenService<Token>
}

extension RefreshableTokenAuthorization {
    /// Lets a reporter hear of each event from now on, in place of the one before.
    ///
    /// Unlike a listener it keeps no pool from letting go of the provider.
    package nonisolated func report(to reporter: any AuthorizationReporter) { core.reporter = reporter }

    nonisolated var service: any RefreshableTokenService<Token> {
        core.reporter?.decorated(bareService) ?? bareService
    }
}
