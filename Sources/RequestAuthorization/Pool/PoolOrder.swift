// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The order of the last uses of a pool's places: of those that may be idle, and of those found in use.
///
/// A use is written into its place and costs one cache line. It is brought into the order when that is asked for, which
/// costs O(log n), once for each use at most. Nothing here is generic: look-ups would cost twice as much.
@usableFromInline struct PoolOrder {
    enum Ring: Int {
        case idle = 0
        case held = 1
    }

    @usableFromInline struct Place {
        @usableFromInline var lastUse: Int
        /// The turn of the last use.
        @usableFromInline var turn: UInt32
        @usableFromInline var isHeld = false
    }

    @usableFromInline var places: [Place] = []
    /// The number of uses so far.
    @usableFromInline var uses = 0
    /// The number of times that idle places were checked.
    @usableFromInline private(set) var turn: UInt32 = 0
    /// By ring. A place's entry is the one with its key; others have been overtaken.
    private var entries = [EarliestFirst<Int>(), EarliestFirst<Int>()]
    private var keys: [Int] = []
    private var free: [Int] = []

    mutating func passTurn() { turn += 1 }

    /// - Returns: a place, marked as used now. Removed places are reused.
    mutating func add() -> Int {
        let place = free.popLast() ?? places.count
        if place == places.count {
            places.append(Place(lastUse: 0, turn: 0))
            keys.append(0)
        }
        bringBack(place)
        return place
    }

    /// Marks a place as used now.
    @inlinable mutating func use(_ place: Int) {
        if places[place].isHeld { bringBack(place) }
        uses += 1
        (places[place].lastUse, places[place].turn) = (uses, turn)
    }

    /// Marks a place as found in use; `use(_:)` brings it back.
    mutating func hold(_ place: Int) { enter(place, .held) }

    mutating func remove(_ place: Int) {
        keys[place] = -1
        free.append(place)
    }

    /// The place of a ring that was used, or found in use, longest ago.
    mutating func last(of ring: Ring) -> Int? {
        while let first = entries[ring.rawValue].first {
            let place = first.number
            let isOvertaken = first.key != keys[place]
            if !isOvertaken, ring == .held || first.key == places[place].lastUse { return place }
            entries[ring.rawValue].removeFirst()
            if !isOvertaken { insert(place, in: ring, key: places[place].lastUse) }
        }
        return nil
    }

    func isOld(_ place: Int, turns: Int) -> Bool { Int(places[place].turn) + turns < Int(turn) }

    /// The places of a ring, the latest first. Forgets the entries that were overtaken.
    mutating func places(of ring: Ring) -> [Int] {
        let entries = entries[ring.rawValue].elements.filter { $0.key == keys[$0.number] }
        self.entries[ring.rawValue] = EarliestFirst(entries)
        return entries.map(\.number).sorted { latest(of: $0, ring) > latest(of: $1, ring) }
    }

    // MARK: -

    @usableFromInline mutating func bringBack(_ place: Int) {
        enter(place, .idle)
        (places[place].lastUse, places[place].turn) = (uses, turn)
    }

    private mutating func enter(_ place: Int, _ ring: Ring) {
        uses += 1
        places[place].isHeld = ring == .held
        insert(place, in: ring, key: uses)
    }

    private mutating func insert(_ place: Int, in ring: Ring, key: Int) {
        keys[place] = key
        entries[ring.rawValue].insert(place, key: key)
    }

    private func latest(of place: Int, _ ring: Ring) -> Int { ring == .held ? keys[place] : places[place].lastUse }
}
