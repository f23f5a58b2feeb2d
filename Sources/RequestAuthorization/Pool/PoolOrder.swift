// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The order in which the places of a pool were used last, in two rings: those that may be idle, and those found in use.
///
/// Each change costs O(1). It is not generic: a look-up changes the order, and generic code would cost as much as the rest of it.
struct PoolOrder {
    /// The first two places of the array are the ends of the rings.
    enum Ring: Int {
        case idle = 0
        case held = 1
    }

    private struct Link {
        var before: Int
        var after: Int
        /// The turn of the last use.
        var turn: Int
    }

    private var links = [Link(before: 0, after: 0, turn: 0), Link(before: 1, after: 1, turn: 0)]
    private var free: [Int] = []

    /// Counts the times that the idle ones were looked over.
    private(set) var turn = 0

    mutating func passTurn() { turn += 1 }

    /// - Returns: a place, used just now. A place that was removed is used again.
    mutating func add() -> Int {
        if let place = free.popLast() {
            links[place].turn = turn
            insert(place, in: .idle)
            return place
        }
        let place = links.count
        links.append(Link(before: place, after: place, turn: turn))
        insert(place, in: .idle)
        return place
    }

    /// The place is used now.
    mutating func use(_ place: Int) {
        links[place].turn = turn
        guard links[Ring.idle.rawValue].after != place else { return }
        move(place, to: .idle)
    }

    /// The place was found in use; it comes back with use(_:).
    mutating func hold(_ place: Int) { move(place, to: .held) }

    mutating func remove(_ place: Int) {
        unlink(place)
        free.append(place)
    }

    /// The place of a ring that was used, or found in use, before all others.
    func last(of ring: Ring) -> Int? {
        let place = links[ring.rawValue].before
        return place == ring.rawValue ? nil : place
    }

    /// The turn in which a place was used last.
    func lastTurn(of place: Int) -> Int { links[place].turn }

    /// All places of a ring.
    func places(of ring: Ring) -> [Int] {
        var places: [Int] = []
        var place = links[ring.rawValue].after
        while place != ring.rawValue {
            places.append(place)
            place = links[place].after
        }
        return places
    }

    // MARK: -

    private mutating func move(_ place: Int, to ring: Ring) {
        unlink(place)
        insert(place, in: ring)
    }

    private mutating func insert(_ place: Int, in ring: Ring) {
        let first = links[ring.rawValue].after
        (links[place].before, links[place].after) = (ring.rawValue, first)
        links[first].before = place
        links[ring.rawValue].after = place
    }

    private mutating func unlink(_ place: Int) {
        let (before, after) = (links[place].before, links[place].after)
        links[before].after = after
        links[after].before = before
    }
}
