// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Creates the provider of one identity once. Other callers wait until it exists.
final class Making<Provider: AnyObject & Sendable>: Sendable {
    private let provider = Lock<Provider?>(nil)
    private let maker = Lock<CurrentThread?>(nil)

    /// Returns the provider. The first caller creates it.
    func provider(_ make: () -> Provider) -> Provider {
        let thread = CurrentThread()
        precondition(maker.withLock { $0 != thread }, "the closure of an AuthorizationPool asked for the same identity")
        return provider.withLock { provider in
            if let provider { return provider }
            maker.withLock { $0 = thread }
            defer { maker.withLock { $0 = nil } }
            let new = make()
            provider = new
            return new
        }
    }

    /// Releases a former provider. A caller that creates the next one waits until its `deinit` has run.
    func release(_ former: inout Provider?) { provider.withLock { _ in former = nil } }
}
