// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import AllocationCounter
import BenchmarkSupport
import Foundation
import RequestAuthorization

private typealias Provider = RefreshableTokenAuthorization<BenchmarkToken>

/// The cost of a look-up among many users at random, compared with a dictionary under a lock of the same kind.
func measurePools(slowDown: Double?) async throws -> [Figure] {
    var figures: [Figure] = []
    for count in [1_000, 10_000, 1_000_000] {
        let users = Users(count)
        for comparison in users.comparisons {
            figures.append(try await comparison.measure(slowDown: slowDown).adding(users.memory))
        }
    }
    return figures
}

/// Users with a provider each, in a pool and in a dictionary, and the order in which they come.
private final class Users: Sendable {
    let memory: String
    private let count: Int
    private let pool = AuthorizationPool(atMost: .max) { (_: UUID) in
        Provider(service: GatedService(), token: BenchmarkToken.valid)
    }
    private let dictionary: LockedDictionary
    private let arrivals: [UUID]

    init(_ count: Int) {
        self.count = count
        let ids = (0..<count).map { _ in UUID() }
        let before = allocation_counter_bytes()
        let providers = Dictionary(uniqueKeysWithValues: ids.map { [pool] in ($0, pool[$0]) })
        memory = "\((allocation_counter_bytes() - before) / UInt64(count)) B for each user, the dictionary included"
        dictionary = LockedDictionary(providers)
        arrivals = (0..<100_000).map { _ in ids[Int.random(in: 0..<count)] }
    }

    var comparisons: [Comparison] {
        let lookUp = Comparison(
            "pool[user], among \(count) / a dictionary", Contender(times: arrivals.count) { self.lookUp($0) },
            against: Contender(times: arrivals.count) { self.lookUpInDictionary($0) }, bound: 1.3,
            meter: .processorTime, rounds: 200)
        return count == 1_000 ? [lookUp, manyTasks] : [lookUp]
    }

    private var manyTasks: Comparison {
        let contenders = [64, 1].map { tasks in
            Contender(times: arrivals.count) { times in
                await withTaskGroup { group in
                    for _ in 0..<tasks { group.addTask { self.lookUp(times / tasks) } }
                }
            }
        }
        return Comparison(
            "pool[user] from 64 tasks / from 1", contenders[0], against: contenders[1], bound: 1.3, rounds: 60)
    }

    private func lookUp(_ times: Int) {
        for index in 0..<times { keep(pool[arrivals[index % arrivals.count]]) }
    }

    private func lookUpInDictionary(_ times: Int) {
        for index in 0..<times { keep(dictionary[arrivals[index % arrivals.count]]) }
    }
}

/// `@unchecked Sendable` is safe: the dictionary is a constant. The lock is there for its cost.
private final class LockedDictionary: @unchecked Sendable {
    private let providers: [UUID: Provider]
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ providers: [UUID: Provider]) {
        self.providers = providers
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    subscript(id: UUID) -> Provider? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return providers[id]
    }
}
