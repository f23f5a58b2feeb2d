// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The order of the last uses of a pool's places, in two rings: places that may be idle, and places found in use.
///
/// Each change costs O(1). It is not generic: every look-up changes the order, and generic code would double its cost.
struct PoolOrder {
    /// The first two elements of the array are the ends of the rings.
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

    /// The number of times that idle places were checked.
    private(set) var turn = 0

    mutating func passTurn() { turn += 1 }

    /// - Returns: a place, marked as used now. Removed places are reused.
    mutating func add() -> Int {
        let place = free.popLast() ?? links.count
        if place == links.count { links.append(Link(before: place, after: place, turn: turn)) }
        links[place].turn = turn
        insert(place, in: .idle)
        return place
    }

    /// Marks a place as used now.
    mutating func use(_ place: Int) {
        links[place].turn = turn
        if links[Ring.idle.rawValue].after != place { move(place, to: .idle) }
    }

    /// Marks a place as found in use; `use(_:)` brings it back.
    mutating func hold(_ place: Int) { move(place, to: .held) }

    mutating func remove(_ place: Int) {
        unlink(place)
        free.append(place)
    }

    /// The place of a ring that was used, or found in use, longest ago.
    func last(of ring: Ring) -> Int? {
        let place = links[ring.rawValue].before
        return place == ring.rawValue ? nil : place
    }

    func lastTurn(of place: Int) -> Int { links[place].turn }

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
