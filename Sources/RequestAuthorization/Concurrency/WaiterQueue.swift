// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A first-in, first-out queue of waiters. Adding, removing and draining cost O(1) for each waiter.
package struct WaiterQueue<Waiter> {
    /// The places, from the first waiter on; `nil` where a waiter was removed.
    private var places: [Waiter?] = []
    private var head = 0
    private var numberOfFirst = 0

    package private(set) var count = 0

    package var isEmpty: Bool { count == 0 }

    /// - Returns: the number of the waiter's place, which is never reused.
    package mutating func append(_ waiter: Waiter) -> Int {
        places.append(waiter)
        count += 1
        return numberOfFirst + places.count - 1
    }

    /// - Returns: the waiter at the place; `nil` if it has been removed or drained.
    package mutating func remove(_ number: Int) -> Waiter? {
        let index = number - numberOfFirst
        guard index >= head, index < places.count, let waiter = places[index] else { return nil }
        places[index] = nil
        count -= 1
        trim()
        return waiter
    }

    package init() {}

    /// The number of the next waiter's place.
    var end: Int { numberOfFirst + places.count }

    /// The waiter that has waited longest.
    package var first: Waiter? { isEmpty ? nil : places[head] }

    /// - Returns: the waiter that has waited longest, which is removed.
    package mutating func removeFirst() -> Waiter? { isEmpty ? nil : remove(numberOfFirst + head) }

    /// - Returns: all waiters in order of arrival, with `nil` for each removed one.
    mutating func drain() -> ArraySlice<Waiter?> {
        defer {
            numberOfFirst += places.count
            (places, head, count) = ([], 0, 0)
        }
        return places[head...]
    }

    /// - Parameter end: the number before which places are looked at.
    /// - Returns: the waiters that meet a condition, in order of arrival; they are removed.
    mutating func removeAll(before end: Int = .max, where condition: (Waiter) -> Bool) -> ArraySlice<Waiter?> {
        let last = min(places.count, max(head, end - numberOfFirst))
        if last == places.count, places[head...].allSatisfy({ $0.map(condition) ?? true }) { return drain() }
        var removed: [Waiter?] = []
        for index in head..<last {
            guard let waiter = places[index], condition(waiter) else { continue }
            places[index] = nil
            count -= 1
            removed.append(waiter)
        }
        trim()
        return removed[...]
    }

    /// The number of kept places, including empty ones.
    var capacity: Int { places.count }

    // MARK: -

    private mutating func trim() {
        if count == 0 {
            _ = drain()
            return
        }
        while places[head] == nil { head += 1 }
        guard head > places.count / 2 else { return }
        places.removeFirst(head)
        numberOfFirst += head
        head = 0
    }
}

extension WaiterQueue: Sendable where Waiter: Sendable {}
