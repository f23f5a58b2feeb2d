// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Limits the requests to one host at a time. Waiters are admitted first in, first out; each step costs O(1).
struct SlotQueue<Waiter> {
    /// The place of a waiter in the queue.
    struct Place {
        fileprivate let number: Int
        fileprivate let isReturning: Bool
    }

    private struct Entry {
        let waiter: Waiter
        let limit: Int
    }

    private(set) var taken = 0
    private var arriving = WaiterQueue<Entry>()
    /// Waiters that had a slot and gave it back to wait for something else. They go first.
    private var returning = WaiterQueue<Entry>()

    var count: Int { arriving.count + returning.count }

    var isIdle: Bool { taken == 0 && count == 0 }

    /// Takes a slot if one is free and no earlier waiter is queued.
    mutating func takeAtOnce(limit: Int, isReturning: Bool = false) -> Bool {
        guard taken < limit, returning.isEmpty, isReturning || arriving.isEmpty else { return false }
        taken += 1
        return true
    }

    mutating func wait(_ waiter: Waiter, limit: Int, isReturning: Bool = false) -> Place {
        let entry = Entry(waiter: waiter, limit: limit)
        let number = isReturning ? returning.append(entry) : arriving.append(entry)
        return Place(number: number, isReturning: isReturning)
    }

    /// Gives a slot back, and returns the waiters that have one now.
    mutating func give() -> [Waiter] {
        taken -= 1
        return admit()
    }

    /// Removes a waiter if it is still queued. It may have blocked others with a higher limit, which have a slot now.
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
