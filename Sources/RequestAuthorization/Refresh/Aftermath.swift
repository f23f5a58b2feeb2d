// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The work that a ``ProviderCore`` leaves to be done after it has released its lock.
struct Aftermath {
    /// The former state. Neither a token nor an error of a user is released under the lock.
    var former: RefreshState?
    var effects: [Effect] = []
    /// Requests to resume, with their result.
    var resumptions: [(waiters: ArraySlice<WaitingRequest?>, result: Result<HeldToken, any Error>)] = []
    /// Callers that waited for the provider to settle.
    var settled: [UnsafeContinuation<Bool, Never>] = []
    /// Observers and listeners to wake.
    var readers: [WaitingReader] = []
    /// Whether there are events for the reporter of the provider.
    var hasReport = false
    /// When the timer must fire, as uptime.
    var wake: Duration?
    /// The provider, if it was kept alive until the store held its token, or its sign-out.
    var formerOwner: AnyObject?
}
