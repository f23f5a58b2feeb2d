// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Synchronization

/// Looks up many identities from many tasks while their tokens expire.
public struct PoolStressRun: Sendable {
    private typealias Provider = RefreshableTokenAuthorization<LedgerToken>

    private let options: PoolStressOptions
    private let clock = LookUpClock()
    private let ledger: Ledger
    private let pool: AuthorizationPool<Int, LedgerToken>
    /// Used in place of the pool, for comparison.
    private let table: OldestFirst?
    private let failures = Counter()
    private let residentBytesAfterFirst = Counter()

    public init(_ options: PoolStressOptions) {
        let (clock, ledger) = (self.clock, Ledger(options, clock: self.clock))
        let make: @Sendable (Int) -> Provider = { identity in
            Provider(
                service: LedgerService(ledger, identity), store: LedgerStore(ledger: ledger, identity: identity),
                clock: clock)
        }
        pool = AuthorizationPool(idleFor: .seconds(600), atMost: options.limit, clock: clock, make: make)
        table = options.withoutPool ? OldestFirst(limit: options.limit, make: make) : nil
        self.options = options
        self.ledger = ledger
    }

    public func run() async throws -> PoolStressReport {
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for seed in 0..<options.tasks { group.addTask { await work(seed) } }
        }
        try await pool.settle(within: .seconds(60))
        var report = PoolStressReport()
        (report.identities, report.limit, report.tasks) = (options.identities, options.limit, options.tasks)
        let counts = ledger.counts
        (report.lookUps, report.made, report.liveDuplicates) = (options.lookUps, counts.made, counts.liveDuplicates)
        (report.sessions, report.expiries) = (counts.sessions, counts.expiries)
        (report.tokenCalls, report.duplicateTokenCalls) = (counts.tokenCalls, counts.duplicateTokenCalls)
        (report.failures, report.count) = (failures.value, pool.count)
        report.residentBytesAfterFirst = residentBytesAfterFirst.value
        report.residentBytesAfterAll = ResidentMemory.bytes
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        report.judge()
        return report
    }

    // MARK: -

    /// Uses the identities of a window that moves from the first to the last. It keeps some providers for a while.
    private func work(_ seed: Int) async {
        var randomness = Seeded(seed: UInt64(seed))
        var held: [Provider] = []
        while true {
            let number = clock.tick()
            guard number < options.lookUps else { return }
            let newest = number / options.uses
            if number == options.first * options.uses { residentBytesAfterFirst.set(ResidentMemory.bytes) }
            let identity =
                number % options.uses == 0
                ? newest : Int.random(in: max(0, newest - options.crowd)...newest, using: &randomness)
            let provider = table?[identity] ?? pool[identity]
            do {
                let token = try await provider.validToken()
                if token.identity != identity { failures.add() }
            } catch {
                failures.add()
            }
            if number % 16 == 0 { held.append(provider) }
            if held.count > 3 { held.removeFirst() }
        }
    }
}

/// A number that many tasks change.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
    func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}

/// The naive alternative to the pool: it evicts the oldest provider even if it is in use.
private final class OldestFirst: Sendable {
    typealias Provider = RefreshableTokenAuthorization<LedgerToken>

    private struct Contents {
        var providers: [Int: Provider] = [:]
        var order: [Int] = []
    }

    private let limit: Int
    private let make: @Sendable (Int) -> Provider
    private let contents = Mutex(Contents())

    init(limit: Int, make: @escaping @Sendable (Int) -> Provider) { (self.limit, self.make) = (limit, make) }

    subscript(identity: Int) -> Provider {
        contents.withLock { contents in
            if let known = contents.providers[identity] { return known }
            let new = make(identity)
            contents.providers[identity] = new
            contents.order.append(identity)
            if contents.order.count > limit { contents.providers[contents.order.removeFirst()] = nil }
            return new
        }
    }
}

/// Reproducible random numbers (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var value = seed
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
