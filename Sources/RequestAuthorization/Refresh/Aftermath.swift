// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The work that a ``ProviderCore`` leaves to be done after it has released its lock.
struct Aftermath {
    /// Waiters to resume, with their result.
    struct Resumption {
        let waiters: ArraySlice<ProviderCore.Waiter?>
        let result: Result<HeldToken, any Error>

        func perform() { for waiter in waiters { waiter?.continuation.resume(with: result) } }
    }

    /// Events for the reporter of the provider.
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
    /// When the timer must fire, as uptime.
    var wake: Duration?
    /// The provider, if it was kept alive until the store held its token.
    var formerOwner: AnyObject?
    private let tokens: HeldTokens

    init(keeping tokens: HeldTokens = HeldTokens()) { self.tokens = tokens }
}
