// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct WaiterQueueTests {
    @Test func `waiters leave in the order of arrival`() {
        var queue = WaiterQueue<String>()
        for name in ["a", "b", "c"] { _ = queue.append(name) }
        #expect(queue.count == 3)
        #expect(queue.drain().compactMap { $0 } == ["a", "b", "c"])
        #expect(queue.isEmpty)
        #expect(queue.drain().isEmpty)
    }

    @Test func `a removed waiter leaves once, and the others stay`() {
        var queue = WaiterQueue<String>()
        let places = ["a", "b", "c"].map { queue.append($0) }
        #expect(queue.remove(places[1]) == "b")
        #expect(queue.remove(places[1]) == nil)
        #expect(queue.count == 2)
        #expect(queue.drain().compactMap { $0 } == ["a", "c"])
    }

    @Test func `a waiter that has left with the others is not found any more`() {
        var queue = WaiterQueue<String>()
        let place = queue.append("a")
        _ = queue.drain()
        #expect(queue.append("b") != place)
        #expect(queue.remove(place) == nil)
        #expect(queue.count == 1)
    }

    @Test func `a place is never used twice`() {
        var queue = WaiterQueue<Int>()
        var places: Set<Int> = []
        for round in 0..<10 {
            let new = (0..<4).map { queue.append($0) }
            #expect(Set(new).count == 4)
            #expect(places.isDisjoint(with: new))
            places.formUnion(new)
            if round.isMultiple(of: 2) { _ = queue.drain() } else { for place in new { _ = queue.remove(place) } }
        }
        #expect(queue.isEmpty)
    }

    @Test(arguments: 0..<200)
    func `after any operations it equals a plain list`(seed: UInt64) {
        var random = Seeded(seed: seed)
        var queue = WaiterQueue<Int>()
        var list: [(place: Int, waiter: Int)] = []
        var gone: [Int] = []
        for number in 0..<200 {
            let index = list.isEmpty ? 0 : Int.random(in: 0..<list.count, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<11: list.append((queue.append(number), number))
            case 11..<19 where !list.isEmpty:
                let (place, waiter) = list.remove(at: index)
                #expect(queue.remove(place) == waiter)
                gone.append(place)
            case 19:
                #expect(queue.drain().compactMap { $0 } == list.map { $0.waiter })
                gone += list.map { $0.place }
                list = []
            default: break
            }
            if let place = gone.randomElement(using: &random) { #expect(queue.remove(place) == nil) }
            #expect(queue.count == list.count)
            #expect(queue.isEmpty == list.isEmpty)
        }
    }

    @Test func `its memory stays in proportion to the number of waiters`() {
        var queue = WaiterQueue<Int>()
        let patient = queue.append(0)
        var last = queue.append(1)
        _ = queue.remove(patient)
        for number in 0..<10_000 {
            let next = queue.append(number)
            _ = queue.remove(last)
            last = next
        }
        #expect(queue.count == 1)
        #expect(queue.capacity < 8)
    }
}
