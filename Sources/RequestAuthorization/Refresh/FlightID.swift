// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The name of a flight or of a manual refresh.
struct FlightID: Hashable, Sendable {
    /// Providers must not take each other's flights for their own.
    let provider: Int
    let number: Int

    /// The flights in whose service calls the current task runs: it must not wait for any of these.
    @TaskLocal static var surrounding: [FlightID] = []

    private static let providers = Atomic(0)

    /// A number that no other provider of this process has.
    static func newProvider() -> Int { providers.add(1, ordering: .relaxed).newValue }
}
