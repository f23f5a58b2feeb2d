// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
@testable import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Closures of pools that need each other's providers. All of these blocked for ever, or ended the process without a word.
@Suite(.timeLimit(.minutes(5))) struct PoolCircleTests {
    typealias Pool = AuthorizationPool<String, TestToken>

    @Test func `two closures on two threads that ask for each other's provider: one gets an error, and both end`() async
    {
        let both = Barrier(2)
        let errors = Shared<[CircularProviders]>([])
        let pool = Shared<Pool?>(nil)
        pool.value = Pool { identity in
            both.wait()
            errors.record { _ = try pool.value?.provider(of: identity == "anna" ? "bert" : "anna") }
            return RefreshableTokenAuthorization(service: CountingService())
        }
        await withThreads(["anna", "bert"]) { _ = try? pool.value?.provider(of: $0) }
        #expect(errors.value.count == 1)
        #expect(errors.value.allSatisfy { Set($0.identities) == ["anna", "bert"] })
        #expect(pool.value?.count == 2)
        pool.value = nil
    }

    @Test func `a circle through three pools is found`() async {
        let all = Barrier(3)
        let errors = Shared<[CircularProviders]>([])
        let pools = Shared<[Pool]>([])
        pools.value = (0..<3).map { number in
            Pool { _ in
                all.wait()
                errors.record { _ = try pools.value[(number + 1) % 3].provider(of: "\((number + 1) % 3)") }
                return RefreshableTokenAuthorization(service: CountingService())
            }
        }
        await withThreads([0, 1, 2]) { _ = try? pools.value[$0].provider(of: "\($0)") }
        #expect(errors.value.map { $0.identities.sorted() } == [["0", "1", "2"]])
        pools.value = []
    }

    @Test func `a closure that asks for its own identity gets an error`() throws {
        let pool = Shared<Pool?>(nil)
        let errors = Shared<[CircularProviders]>([])
        pool.value = Pool { identity in
            errors.record { _ = try pool.value?.provider(of: identity) }
            return RefreshableTokenAuthorization(service: CountingService())
        }
        _ = try pool.value?.provider(of: "anna")
        #expect(errors.value.map(\.identities) == [["anna"]])
        pool.value = nil
    }

    @Test func `a part of an evicted provider that asks for it in its deinit gets an error`() throws {
        let clock = ManualClock()
        let pool = Shared<Pool?>(nil)
        let errors = Shared<[CircularProviders]>([])
        pool.value = Pool(atMost: 1, clock: clock) { identity in
            let farewell = Farewell {
                errors.record { _ = try pool.value?.provider(of: identity) }
            }
            return RefreshableTokenAuthorization(service: PartedService(farewell: farewell), clock: clock)
        }
        _ = pool.value?["anna"]
        _ = pool.value?["bert"]
        #expect(errors.value.map(\.identities) == [["anna"]])
        pool.value = nil
    }

    @Test func `threads that ask in any order all end, and each identity has one provider`() async {
        let pool = Shared<Pool?>(nil)
        // Each pool is new, because the threads meet only while its providers are made.
        for _ in 0..<200 {
            let seen = Shared<[(identity: String, provider: Pool.Provider)]>([])
            let ended = Shared<[String]>([])
            @Sendable func asks(_ identity: String) -> Bool {
                guard let provider = try? pool.value?.provider(of: identity) else { return false }
                seen.append((identity: identity, provider: provider))
                return true
            }
            pool.value = Pool { identity in
                let others = (0..<6).map { "\($0)" }.filter { $0 != identity }.shuffled().prefix(2)
                for other in others { _ = asks(other) }
                return RefreshableTokenAuthorization(service: CountingService())
            }
            await withThreads(["0", "1", "2", "3"]) { if asks($0) { ended.append($0) } }
            #expect(ended.value.count == 4)
            for (identity, provider) in seen.value { #expect(pool.value?[identity] === provider, "\(identity)") }
            #expect((4...6).contains(pool.value?.count ?? 0))
        }
        pool.value = nil
    }

    @Test func `the subscript ends the program with a sentence that names both identities`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let both = Barrier(2)
            let pool = Shared<Pool?>(nil)
            pool.value = Pool { identity in
                both.wait()
                _ = pool.value?[identity == "anna" ? "bert" : "anna"]
                return RefreshableTokenAuthorization(service: CountingService())
            }
            await withThreads(["anna", "bert"]) { _ = pool.value?[$0] }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the provider of ") && text.contains("anna") && text.contains("bert"))
    }

    @Test func `an error names no identity in its description`() {
        let error = CircularProviders(identities: ["anna", "bert"])
        #expect(!"\(error)\(String(reflecting: error))".contains("anna"))
        #expect(error.sentence.contains("provider of anna was asked for while that of bert is being created"))
        #expect(CircularProviders(identities: ["anna"]).sentence.contains("provider of anna was asked for while it is"))
    }
}

/// Runs a body for each value on a thread of its own, which may block, and waits for all.
private func withThreads<Value: Sendable>(_ values: [Value], _ body: @escaping @Sendable (Value) -> Void) async {
    await withTaskGroup { group in
        for value in values {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        body(value)
                        continuation.resume()
                    }
                }
            }
        }
    }
}

/// Holds threads back until all have come; later ones pass.
private final class Barrier: Sendable {
    private let missing: Lock<Int>
    private let gate = DispatchSemaphore(value: 0)

    init(_ count: Int) { missing = Lock(count) }

    func wait() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing <= 0
        }
        if isLast { gate.signal() } else { gate.wait(); gate.signal() }
    }
}

private final class Shared<Value: Sendable>: Sendable {
    private let state: Lock<Value>
    init(_ value: Value) { state = Lock(value) }
    var value: Value {
        get { state.withLock { $0 } }
        set {
            // The old value is released outside the lock.
            let old = state.withLock { state in
                defer { state = newValue }
                return state
            }
            withExtendedLifetime(old) {}
        }
    }
    func append<Element>(_ element: Element) where Value == [Element] { state.withLock { $0.append(element) } }
}

extension Shared<[CircularProviders]> {
    fileprivate func record(_ body: () throws -> Void) {
        do { try body() } catch { if let error = error as? CircularProviders { append(error) } }
    }
}

private final class Farewell: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

private struct PartedService: RefreshableTokenService {
    let farewell: Farewell
    func refresh(_ token: TestToken) async throws -> TestToken { token }
}
