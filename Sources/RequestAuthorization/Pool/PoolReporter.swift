// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Hears of what a pool makes and evicts, and reports on each of its providers.
package protocol PoolReporter<ID>: Sendable {
    associatedtype ID: Hashable & Sendable

    /// Who reports on the provider of an identity.
    func reporter(of id: ID) -> any AuthorizationReporter

    /// Called when the number of providers may have changed, with nothing locked.
    ///
    /// - Parameters:
    ///   - count: how many the pool holds now.
    ///   - evicted: how many of them it has just let go of.
    func note(count: Int, evicted: Int)
}

extension PoolReporter {
    func attach<Token>(to provider: RefreshableTokenAuthorization<Token>, of id: ID) {
        provider.report(to: reporter(of: id))
    }
}

extension AuthorizationPool {
    /// Lets a reporter hear of the pool and of all its providers from now on, in place of those before.
    package func report(to reporter: any PoolReporter<ID>) {
        reporting.withLock { $0 = (reporter, $0.number + 1) }
        for (id, provider) in live { reporter.attach(to: provider, of: id) }
        reporter.note(count: count, evicted: 0)
    }

    /// Attaches the reporter that there is now, unless that is the one of before.
    func attachReporter(to provider: Provider, of id: ID, unless number: Int) {
        let reporting = reporting.withLock { $0 }
        if reporting.number != number { reporting.reporter?.attach(to: provider, of: id) }
    }

    func report(evicted: Int) {
        guard let reporter = reporting.withLock({ $0.reporter }) else { return }
        reporter.note(count: count, evicted: evicted)
    }
}
