// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorizationURLSession

struct SlotQueueTests {
    @Test func `up to the limit each has a slot, the others wait in order of arrival`() {
        var queue = SlotQueue<Int>()
        let first = (1...3).map { _ in queue.takeAtOnce(limit: 2) }
        #expect(first == [true, true, false])
        for number in 3...5 { _ = queue.wait(number, limit: 2) }
        #expect(queue.give() == [3])
        #expect(queue.give() == [4])
        #expect(queue.taken == 2 && queue.count == 1)
        #expect(queue.give() == [5])
        #expect(queue.give() == [])
        #expect(queue.give() == [])
        #expect(queue.isIdle)
    }

    @Test func `a later call does not overtake, also with a higher limit`() {
        var queue = SlotQueue<Int>()
        #expect(queue.takeAtOnce(limit: 1) == true)
        _ = queue.wait(2, limit: 1)
        #expect(queue.takeAtOnce(limit: 9) == false)
        _ = queue.wait(3, limit: 9)
        #expect(queue.give() == [2, 3])
    }

    @Test func `a call that leaves is skipped, and those behind it go on`() {
        var queue = SlotQueue<Int>()
        #expect(queue.takeAtOnce(limit: 1) == true)
        let first = queue.wait(2, limit: 1)
        let second = queue.wait(3, limit: 2)
        _ = queue.wait(4, limit: 3)
        #expect(queue.cancel(first) == (2, [3, 4]))
        #expect(queue.cancel(first) == (nil, []))
        #expect(queue.cancel(second) == (nil, []))
        #expect(queue.taken == 3)
    }

    @Test func `a call that comes back goes first, after those that came back before`() {
        var queue = SlotQueue<Int>()
        #expect(queue.takeAtOnce(limit: 1) == true)
        _ = queue.wait(3, limit: 1)
        _ = queue.wait(1, limit: 1, isReturning: true)
        #expect(queue.takeAtOnce(limit: 1, isReturning: true) == false)
        _ = queue.wait(2, limit: 1, isReturning: true)
        let admitted = (1...3).map { _ in queue.give() }
        #expect(admitted == [[1], [2], [3]])
        _ = queue.wait(4, limit: 1)
        #expect(queue.takeAtOnce(limit: 2) == false)
        #expect(queue.takeAtOnce(limit: 2, isReturning: true) == true)
    }

    @Test func `after any operations the limit is kept, and no call waits while a slot is free`() {
        var random = SystemRandomNumberGenerator()
        for limit in 1...4 {
            var (queue, waiting, places, number) = (SlotQueue<Int>(), [Int](), [Int: SlotQueue<Int>.Place](), 0)
            for _ in 0..<2_000 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    number += 1
                    let isFree = queue.taken < limit && waiting.isEmpty
                    #expect(queue.takeAtOnce(limit: limit) == isFree)
                    if isFree { continue }
                    places[number] = queue.wait(number, limit: limit)
                    waiting.append(number)
                case 2, 3:
                    guard queue.taken > 0 else { continue }
                    #expect(queue.give() == Array(waiting.prefix(1)))
                    if !waiting.isEmpty { waiting.removeFirst() }
                default:
                    guard let index = waiting.indices.randomElement(using: &random),
                        let place = places[waiting[index]]
                    else { continue }
                    let left = waiting.remove(at: index)
                    #expect(queue.cancel(place) == (left, []))
                }
                #expect(queue.taken <= limit && queue.count == waiting.count)
                #expect(queue.taken == limit || waiting.isEmpty)
            }
        }
    }
}
