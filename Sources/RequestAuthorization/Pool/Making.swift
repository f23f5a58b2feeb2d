// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The making of the provider of one identity. Those who ask for it meanwhile wait for the one who makes it.
final class Making<Provider: AnyObject & Sendable>: Sendable {
    private let provider = Lock<Provider?>(nil)
    private let maker = Lock<CurrentThread?>(nil)

    /// The provider, made by the first who comes.
    func provider(_ make: () -> Provider) -> Provider {
        let thread = CurrentThread()
        precondition(maker.withLock { $0 != thread }, "a closure of AuthorizationPool asked for the identity it makes")
        return provider.withLock { provider in
            if let provider { return provider }
            maker.withLock { $0 = thread }
            defer { maker.withLock { $0 = nil } }
            let new = make()
            provider = new
            return new
        }
    }

    /// Lets go of a former provider. Who makes another waits until it is gone, its `deinit` included.
    func release(_ former: inout Provider?) { provider.withLock { _ in former = nil } }
}
