// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What sessions that are over have left under way. The provider has not settled before that has ended.
struct Leftovers: Hashable {
    /// The server's last error, and the uptime before which it wants no revocation (RFC 7009 §2.2.1).
    struct Pause: Hashable {
        let error: Uncompared<any Error>
        let end: Duration
    }

    /// The number of tokens that the service is revoking.
    private var revocations = 0
    /// Until when calls are awaited whose result no longer counts, as uptime.
    private var calls: [RefreshID: Duration] = [:]
    /// Settling does not wait for it.
    private(set) var pause: Pause?

    var isEmpty: Bool { revocations == 0 && calls.isEmpty }
    /// When the next call is given up.
    var nextEnd: Duration? { calls.values.min() }

    mutating func beginRevocation() { revocations += 1 }
    mutating func endRevocation() { revocations -= 1 }
    mutating func delayRevocations(until end: Duration, after error: any Error) {
        pause = Pause(error: Uncompared(value: error), end: end)
    }
    mutating func expect(_ id: RefreshID, until end: Duration) { calls[id] = end }
    mutating func end(_ id: RefreshID) { calls[id] = nil }

    /// Forgets the calls that have lasted too long, and returns them.
    mutating func giveUp(at now: Duration) -> [RefreshID] {
        let late = calls.filter { $0.value <= now }.map(\.key)
        for id in late { calls[id] = nil }
        return late
    }
}
