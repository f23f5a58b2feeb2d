// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Receives what a pool creates and evicts, and reports on each provider.
package protocol PoolReporter<ID>: Sendable {
    associatedtype ID: Hashable & Sendable

    func reporter(of id: ID) -> any AuthorizationReporter

    /// Called outside the lock, with the present number of providers and how many the pool has just evicted.
    func note(count: Int, evicted: Int)
}

extension AuthorizationPool {
    /// Sets the reporter of the pool and of all its providers, in place of the former one.
    package func report(to reporter: any PoolReporter<ID>) {
        let former = reporting.withLock { reporting in
            defer { reporting = (reporter, reporting.number + 1) }
            return reporting  // No user's object is released under the lock.
        }
        for (id, provider) in live { attachReporter(to: provider, of: id, unless: former.number) }
        reporter.note(count: count, evicted: 0)
    }

    /// Attaches the present reporter, unless it is the one with this number. It may change meanwhile.
    func attachReporter(to provider: Provider, of id: ID, unless number: Int) {
        var number = number
        while case let (reporter, present) = reporting.withLock({ $0 }), present != number {
            if let reporter { provider.report(to: reporter.reporter(of: id)) }
            number = present
        }
    }

    func report(evicted: Int) { reporting.withLock { $0.reporter }?.note(count: count, evicted: evicted) }
}
