// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// The last use of each place of a pool. Threads mark uses at the same time; all else happens under the pool's lock.
///
/// Nothing here is generic: look-ups would cost twice as much.
final class PoolUses {
    /// The last use of a place that was found in use since is negative.
    private var last: UnsafeMutableBufferPointer<Atomic<Int>> = .allocate(capacity: 0)
    private let number = Atomic(0)

    deinit { last.deallocate() }

    /// The number of uses so far.
    var count: Int { number.load(ordering: .relaxed) }

    /// The number of uses up to the last one of a place.
    func last(of place: Int) -> Int { abs(last[place].load(ordering: .relaxed)) }

    /// Marks a place as used now, unless it was found in use.
    func mark(_ place: Int) -> Bool {
        guard last[place].load(ordering: .relaxed) >= 0 else { return false }
        last[place].store(next(), ordering: .relaxed)
        return true
    }

    /// Marks a place as used now, or as found in use.
    ///
    /// - Returns: the number of this use.
    func enter(_ place: Int, isHeld: Bool) -> Int {
        let number = next()
        // A place that was found in use keeps its last use.
        last[place].store(isHeld ? -last(of: place) : number, ordering: .relaxed)
        return number
    }

    /// Makes room for a number of places.
    func reserve(_ places: Int) {
        guard places > last.count else { return }
        let larger = UnsafeMutableBufferPointer<Atomic<Int>>.allocate(capacity: 2 * places)
        for place in larger.indices {
            let use = place < last.count ? last[place].load(ordering: .relaxed) : 0
            larger.initializeElement(at: place, to: Atomic(use))
        }
        last.deallocate()
        last = larger
    }

    private func next() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }
}
