// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Receives each event of a provider, and wraps its token service.
package protocol AuthorizationReporter: Sendable {
    /// Called without a lock, with one event at a time, in the order of the provider's transitions.
    ///
    /// Usually the thread that caused an event reports it. While another one reports, that reports it too.
    func note(_ event: AuthorizationEvent)

    /// Returns the service to use for refreshes in place of the provider's own.
    func decorated<Token: AuthorizationToken>(_ service: any RefreshableTokenService<Token>)
        -> any RefreshableTokenService<Token>
}
