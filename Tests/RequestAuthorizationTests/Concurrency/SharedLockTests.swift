// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

@Suite struct SharedLockTests {
    /// Two numbers that are equal while nobody changes them.
    private struct Pair {
        var first = 0
        /// Takes time to compute.
        var third = 0
        var second = 0
        var isWhole: Bool { first == second }
    }

    /// On real threads: run it under the thread sanitizer.
    @Test func `readers never see half a change`() async {
        let lock = SharedLock(Pair())
        let halves = await withTaskGroup { group in
            for number in 0..<16 {
                group.addTask {
                    (0..<8000).count { round in
                        if number < 4, round.isMultiple(of: 4) {
                            lock.withLock { pair in
                                pair.first += 1
                                for _ in 0..<100 { pair.third += pair.first }
                                pair.second += 1
                            }
                        }
                        let (isWhole, reader) = lock.acquire { $0.isWhole }
                        let isStillWhole = lock.release(reader) { $0.isWhole }
                        return !isWhole || !isStillWhole || !lock.read { $0.isWhole }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(halves == 0)
        #expect(lock.read { $0.first } == 4 * 2000)
    }

    @Test func `a thread keeps its number, and others have others`() async {
        let numbers = await withCheckedContinuation { continuation in
            let all = Lock<[Int]>([])
            for _ in 0..<16 {
                Thread.detachNewThread {
                    let number = ThreadNumbers.shared.current
                    #expect(ThreadNumbers.shared.current == number)
                    let sofar = all.withLock {
                        $0.append(number)
                        return $0
                    }
                    if sofar.count == 16 { continuation.resume(returning: sofar) }
                }
            }
        }
        #expect(Set(numbers).count == 16)
    }
}
