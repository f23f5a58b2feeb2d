// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What is left to be done when the lock of a ``ProviderCore`` has been given up.
struct Aftermath {
    /// Requests that were held and go on now.
    struct Resumption {
        let waiters: ArraySlice<ProviderCore.Waiter?>
        let result: Result<HeldToken, any Error>

        func perform() { for waiter in waiters { waiter?.continuation.resume(with: result) } }
    }

    /// Events for the one who reports on the provider.
    struct Report {
        let events: [AuthorizationEvent]
        let reporter: any AuthorizationReporter

        func deliver() { for event in events { reporter.note(event) } }
    }

    var effects: [Effect] = []
    var resumptions: [Resumption] = []
    /// Wakes observers and listeners.
    var deliveries: [@Sendable () -> Void] = []
    var report: Report?
    /// When something is due although no event comes, as uptime.
    var wake: Duration?
    /// The provider, if it was kept until the store held what it brought.
    var formerOwner: AnyObject?
    private let tokens: HeldTokens

    init(keeping tokens: HeldTokens = HeldTokens()) { self.tokens = tokens }
}
