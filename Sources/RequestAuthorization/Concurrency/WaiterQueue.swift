// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Who waits, first in, first out. Reserving, filling, removing and draining one waiter costs O(1).
///
/// A place is reserved when a request arrives, so that the order is that of arrival, and filled when its task has been
/// suspended.
struct WaiterQueue<Waiter> {
    /// The number of a place; never used twice.
    struct ID: Hashable, Sendable {
        fileprivate let number: Int
    }

    fileprivate enum Place {
        case empty
        case reserved
        case waiting(Waiter)
    }

    private var places: [Place] = []
    private var head = 0
    private var numberOfFirst = 0

    /// How many places are reserved or filled.
    private(set) var count = 0

    mutating func reserve() -> ID {
        places.append(.reserved)
        count += 1
        return ID(number: numberOfFirst + places.count - 1)
    }

    /// - Returns: whether the place was still there.
    mutating func fill(_ id: ID, with waiter: Waiter) -> Bool {
        guard let index = index(of: id), case .reserved = places[index] else { return false }
        places[index] = .waiting(waiter)
        return true
    }

    /// - Returns: who waited at the place, if anybody did.
    mutating func remove(_ id: ID) -> Waiter? {
        guard let index = index(of: id) else { return nil }
        let place = places[index]
        if case .empty = place { return nil }
        places[index] = .empty
        count -= 1
        trim()
        if case .waiting(let waiter) = place { return waiter }
        return nil
    }

    /// - Returns: all who waited, in order of arrival, and the places that nobody had come to fill yet.
    mutating func drain() -> (waiters: [Waiter], reserved: [ID]) {
        var waiters: [Waiter] = []
        var reserved: [ID] = []
        waiters.reserveCapacity(count)
        for (index, place) in places[head...].enumerated() {
            switch place {
            case .empty: break
            case .reserved: reserved.append(ID(number: numberOfFirst + head + index))
            case .waiting(let waiter): waiters.append(waiter)
            }
        }
        count = 0
        trim()
        return (waiters, reserved)
    }

    /// How many places are kept, empty ones included.
    var capacity: Int { places.count }

    // MARK: -

    private func index(of id: ID) -> Int? {
        let index = id.number - numberOfFirst
        return index >= head && index < places.count ? index : nil
    }

    private mutating func trim() {
        if count == 0 {
            numberOfFirst += places.count
            places = []
            head = 0
            return
        }
        while case .empty = places[head] { head += 1 }
        guard head > places.count / 2 else { return }
        places.removeFirst(head)
        numberOfFirst += head
        head = 0
    }
}

extension WaiterQueue: Sendable where Waiter: Sendable {}
extension WaiterQueue.Place: Sendable where Waiter: Sendable {}
extension WaiterQueue.Place: Equatable where Waiter: Equatable {}
extension WaiterQueue.Place: Hashable where Waiter: Hashable {}
extension WaiterQueue: Equatable where Waiter: Equatable {}
extension WaiterQueue: Hashable where Waiter: Hashable {}
