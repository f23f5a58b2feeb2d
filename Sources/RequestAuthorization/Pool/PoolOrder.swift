// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The order of the last uses of a pool's places: of those that may be idle, and of those found in use.
///
/// A use is marked in its place. It is brought into the order when that is asked for, which costs O(log n), once for each
/// use at most.
struct PoolOrder {
    enum Ring: Int { case idle, held }

    let uses = PoolUses()
    /// The number of uses at the beginnings of the last turns. In each turn the idle places are checked once.
    private var beginnings: [Int] = []
    /// By ring. A place's entry is the one with its key; others have been overtaken.
    private var entries = [EarliestFirst<Int>(), EarliestFirst<Int>()]
    private var keys: [Int] = []
    private var free: [Int] = []

    /// Begins a turn, and remembers the beginnings of the turns before it.
    mutating func passTurn(remembering turns: Int) {
        beginnings.append(uses.count)
        if beginnings.count > turns + 1 { beginnings.removeFirst() }
    }

    /// - Returns: a place, marked as used now. Removed places are reused.
    mutating func add() -> Int {
        let place = free.popLast() ?? keys.count
        if place == keys.count {
            keys.append(0)
            uses.reserve(keys.count)
        }
        enter(place, .idle)
        return place
    }

    /// Marks a place as used now.
    mutating func use(_ place: Int) {
        if !uses.mark(place) { enter(place, .idle) }
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
            if !isOvertaken, ring == .held || first.key == uses.last(of: place) { return place }
            entries[ring.rawValue].removeFirst()
            if !isOvertaken { insert(place, in: ring, key: uses.last(of: place)) }
        }
        return nil
    }

    /// Whether a place was not used for a number of whole turns.
    func isOld(_ place: Int, turns: Int) -> Bool {
        turns < beginnings.count && uses.last(of: place) <= beginnings[beginnings.count - 1 - turns]
    }

    /// The places of a ring, the latest first. Forgets the entries that were overtaken.
    mutating func places(of ring: Ring) -> [Int] {
        let entries = entries[ring.rawValue].heap.filter { $0.key == keys[$0.number] }
        self.entries[ring.rawValue] = EarliestFirst(entries)
        return entries.map(\.number).sorted { latest(of: $0, ring) > latest(of: $1, ring) }
    }

    // MARK: -

    private mutating func enter(_ place: Int, _ ring: Ring) {
        insert(place, in: ring, key: uses.enter(place, isHeld: ring == .held))
    }

    private mutating func insert(_ place: Int, in ring: Ring, key: Int) {
        keys[place] = key
        entries[ring.rawValue].insert(place, key: key)
    }

    private func latest(of place: Int, _ ring: Ring) -> Int { ring == .held ? keys[place] : uses.last(of: place) }
}
