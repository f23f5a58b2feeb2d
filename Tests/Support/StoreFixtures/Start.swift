// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization
package import RequestAuthorizationTesting

/// One start of a program: a provider over a store, and what went wrong with both.
package struct Start: Sendable {
    package let service: RotatingService
    package let store: any TokenStore<TestToken>
    package let auth: RefreshableTokenAuthorization<TestToken>
    private let failures: Failures

    package init(
        _ store: any TokenStore<TestToken>, _ server: RotatingServer, _ fate: Fate, clock: any AuthorizationClock
    ) {
        (service, self.store) = (RotatingService(server, fate), store)
        auth = RefreshableTokenAuthorization(
            service: service, token: nil, store: store, clock: clock, random: { 1 })
        failures = Failures()
        auth.report(to: failures)
    }

    package var fate: Fate { service.fate }

    /// Whether an event has named an error.
    package var hasNamedError: Bool { failures.count.withLock { $0 > 0 } }

    package func signIn() async throws { try await auth.signIn { try await service.signIn() } }

    private final class Failures: AuthorizationReporter {
        let count = Lock(0)

        func note(_ event: AuthorizationEvent) { if event.error != nil { count.withLock { $0 += 1 } } }

        func decorated<Token: AuthorizationToken>(
            _ service: any RefreshableTokenService<Token>
        ) -> any RefreshableTokenService<Token> { service }
    }
}
