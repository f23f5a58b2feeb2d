// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Who may send to one host now: so many at a time, the others first in, first out. Each step costs O(1).
struct SlotQueue<Waiter> {
    /// Where one waits.
    struct Place {
        fileprivate let number: Int
        fileprivate let isReturning: Bool
    }

    private struct Entry {
        let waiter: Waiter
        let limit: Int
    }

    /// How many slots are in use.
    private(set) var taken = 0
    private var arriving = WaiterQueue<Entry>()
    /// Those whose turn had come before, and who had to wait for something else. They go first.
    private var returning = WaiterQueue<Entry>()

    /// How many wait.
    var count: Int { arriving.count + returning.count }

    /// Whether nothing is to be remembered.
    var isIdle: Bool { taken == 0 && count == 0 }

    /// Takes a slot if one is free and nobody waits who came before.
    mutating func takeAtOnce(limit: Int, isReturning: Bool = false) -> Bool {
        guard taken < limit, returning.isEmpty, isReturning || arriving.isEmpty else { return false }
        taken += 1
        return true
    }

    /// Waits for a slot.
    mutating func wait(_ waiter: Waiter, limit: Int, isReturning: Bool = false) -> Place {
        let entry = Entry(waiter: waiter, limit: limit)
        let number = isReturning ? returning.append(entry) : arriving.append(entry)
        return Place(number: number, isReturning: isReturning)
    }

    /// Gives a slot back.
    ///
    /// - Returns: those who have one now.
    mutating func give() -> [Waiter] {
        taken -= 1
        return admit()
    }

    /// Waits no longer.
    ///
    /// - Returns: who waited there, if anybody did; and those who have a slot now because nobody with a lower limit is before them.
    mutating func cancel(_ place: Place) -> (waiter: Waiter?, admitted: [Waiter]) {
        let entry = place.isReturning ? returning.remove(place.number) : arriving.remove(place.number)
        return (entry?.waiter, admit())
    }

    // MARK: -

    private mutating func admit() -> [Waiter] {
        var admitted: [Waiter] = []
        while let first = returning.first ?? arriving.first, taken < first.limit {
            _ = returning.isEmpty ? arriving.removeFirst() : returning.removeFirst()
            taken += 1
            admitted.append(first.waiter)
        }
        return admitted
    }
}
