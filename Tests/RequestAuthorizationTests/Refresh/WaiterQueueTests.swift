// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct WaiterQueueTests {
    @Test func `who waits leaves in the order of arrival, not of suspension`() {
        var queue = WaiterQueue<String>()
        let (first, second, third) = (queue.reserve(), queue.reserve(), queue.reserve())
        #expect(queue.fill(third, with: "c") == true)
        #expect(queue.fill(first, with: "a") == true)
        #expect(queue.fill(second, with: "b") == true)
        #expect(queue.drain().waiters == ["a", "b", "c"])
        #expect(queue.count == 0)
    }

    @Test func `a place that nobody has come to fill is named when the others leave, and is gone then`() {
        var queue = WaiterQueue<String>()
        let (first, second, third) = (queue.reserve(), queue.reserve(), queue.reserve())
        #expect(queue.fill(second, with: "b") == true)
        let (waiters, reserved) = queue.drain()
        #expect(waiters == ["b"])
        #expect(reserved == [first, third])
        #expect(queue.fill(first, with: "a") == false)
        #expect(queue.remove(third) == nil)
    }

    @Test func `a place is filled once`() {
        var queue = WaiterQueue<String>()
        let place = queue.reserve()
        #expect(queue.fill(place, with: "a") == true)
        #expect(queue.fill(place, with: "b") == false)
        #expect(queue.drain().waiters == ["a"])
    }

    @Test func `who is removed leaves once, and the others stay`() {
        var queue = WaiterQueue<String>()
        let places = ["a", "b", "c"].map { name in
            let place = queue.reserve()
            _ = queue.fill(place, with: name)
            return place
        }
        #expect(queue.remove(places[1]) == "b")
        #expect(queue.remove(places[1]) == nil)
        #expect(queue.count == 2)
        #expect(queue.drain().waiters == ["a", "c"])
    }

    @Test func `a reserved place can be given up before it is filled`() {
        var queue = WaiterQueue<String>()
        let (first, second) = (queue.reserve(), queue.reserve())
        #expect(queue.remove(first) == nil)
        #expect(queue.count == 1)
        #expect(queue.fill(first, with: "a") == false)
        #expect(queue.fill(second, with: "b") == true)
        #expect(queue.drain().waiters == ["b"])
    }

    @Test func `a place is never used twice`() {
        var queue = WaiterQueue<Int>()
        var places: Set<WaiterQueue<Int>.ID> = []
        for round in 0..<10 {
            let new = (0..<4).map { _ in queue.reserve() }
            #expect(places.isDisjoint(with: new))
            places.formUnion(new)
            if round.isMultiple(of: 2) { _ = queue.drain() } else { for place in new { _ = queue.remove(place) } }
        }
        #expect(queue.count == 0)
    }

    @Test(arguments: 0..<200)
    func `whatever is done to it, it does what a plain list would`(seed: UInt64) {
        var random = Random(state: seed)
        var queue = WaiterQueue<Int>()
        var list: [(place: WaiterQueue<Int>.ID, waiter: Int?)] = []
        var gone: [WaiterQueue<Int>.ID] = []
        for number in 0..<200 {
            let index = list.isEmpty ? 0 : Int.random(in: 0..<list.count, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9: list.append((queue.reserve(), nil))
            case 9..<14 where !list.isEmpty:
                #expect(queue.fill(list[index].place, with: number) == (list[index].waiter == nil))
                list[index].waiter = list[index].waiter ?? number
            case 14..<19 where !list.isEmpty:
                let (place, waiter) = list.remove(at: index)
                #expect(queue.remove(place) == waiter)
                gone.append(place)
            case 19:
                let (waiters, reserved) = queue.drain()
                #expect(waiters == list.compactMap { $0.waiter })
                #expect(reserved == list.filter { $0.waiter == nil }.map { $0.place })
                gone += list.map { $0.place }
                list = []
            default: break
            }
            if let place = gone.randomElement(using: &random) { #expect(queue.fill(place, with: number) == false) }
            #expect(queue.count == list.count)
        }
    }

    @Test func `what is kept stays in proportion to who waits`() {
        var queue = WaiterQueue<Int>()
        let patient = queue.reserve()
        var last = queue.reserve()
        _ = queue.remove(patient)
        for _ in 0..<10_000 {
            let next = queue.reserve()
            _ = queue.remove(last)
            last = next
        }
        #expect(queue.count == 1)
        #expect(queue.capacity < 8)
    }
}

/// The same numbers in each run (SplitMix64).
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
