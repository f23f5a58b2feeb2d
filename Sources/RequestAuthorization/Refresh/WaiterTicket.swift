// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// A waiting request and its place in the queue. The ticket exists before the request can be cancelled.
final class WaiterTicket: Sendable {
    let need: RefreshState.Need
    /// When the request arrived, if that is known.
    let date: Date?
    /// Twice the number of the place, plus one in the `lasting` queue; -1 before there is a place.
    private let code = Atomic(-1)

    init(_ need: RefreshState.Need, at date: Date?) { (self.need, self.date) = (need, date) }

    func note(_ number: Int, in kind: Effect.Waiters) {
        code.store(number * 2 + (kind == .lasting ? 1 : 0), ordering: .relaxed)
    }

    var place: (number: Int, kind: Effect.Waiters)? {
        let code = code.load(ordering: .relaxed)
        return code < 0 ? nil : (code / 2, code % 2 == 1 ? .lasting : .ordinary)
    }
}
