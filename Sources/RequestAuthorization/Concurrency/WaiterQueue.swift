// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Waiters, first in, first out. Adding, removing and draining cost O(1) for each.
package struct WaiterQueue<Waiter> {
    /// From the first that still waits on; empty where a waiter has left.
    private var places: [Waiter?] = []
    private var head = 0
    private var numberOfFirst = 0

    /// How many wait.
    package private(set) var count = 0

    package var isEmpty: Bool { count == 0 }

    /// - Returns: the number of the waiter's place, which is never used twice.
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

    /// The one that waits longest.
    package var first: Waiter? { isEmpty ? nil : places[head] }

    /// - Returns: the one that waits longest; it waits no longer.
    package mutating func removeFirst() -> Waiter? { isEmpty ? nil : remove(numberOfFirst + head) }

    /// - Returns: all that wait, in order of arrival, and `nil` for each that has left.
    mutating func drain() -> ArraySlice<Waiter?> {
        defer {
            numberOfFirst += places.count
            (places, head, count) = ([], 0, 0)
        }
        return places[head...]
    }

    /// - Returns: all that wait and fulfil a condition, in order of arrival; they wait no longer.
    mutating func removeAll(where condition: (Waiter) -> Bool) -> [Waiter?] {
        var removed: [Waiter?] = []
        for index in head..<places.count {
            guard let waiter = places[index], condition(waiter) else { continue }
            places[index] = nil
            count -= 1
            removed.append(waiter)
        }
        trim()
        return removed
    }

    /// How many places are kept, empty ones included.
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
extension WaiterQueue: Equatable where Waiter: Equatable {}
extension WaiterQueue: Hashable where Waiter: Hashable {}
