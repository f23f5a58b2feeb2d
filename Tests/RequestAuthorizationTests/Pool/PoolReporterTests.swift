// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorizationTesting
import TestProviders
import Testing

@testable import RequestAuthorization

/// A reporter of a pool gets the events of all its providers, and keeps none of them alive.
@Suite(.timeLimit(.minutes(5))) struct PoolReporterTests {
    @Test func `earlier and later providers are reported, each by its name`() async throws {
        let bench = PoolBench.make(atMost: 9, .token("a", lasts: .seconds(100)))
        let before = bench.pool["ada"]
        let reporter = Clerk()
        bench.pool.report(to: reporter)
        let after = bench.pool["bob"]
        _ = try await before.validToken()
        _ = try await after.validToken()
        await reporter.releases.reaches(2)
        let refreshed = reporter.lines.filter { $0.hasSuffix("refresh started") }
        #expect(refreshed.sorted() == ["ada: refresh started", "bob: refresh started"])
        #expect(reporter.lines.first == "count 1, evicted 0")
    }

    @Test func `a reported provider can be evicted, and the eviction is reported`() async throws {
        let bench = PoolBench.make(atMost: 1)
        let reporter = Clerk()
        bench.pool.report(to: reporter)
        _ = try await bench.pool["ada"].validToken()
        await reporter.releases.reaches(1)
        try await bench.pool["ada"].settle(within: .seconds(1))
        bench.crowd()
        #expect(bench.pool.count == 1)
        #expect(reporter.lines.last == "count 1, evicted 1")
        for _ in 0..<5 {
            await bench.clock.sleeper(for: .seconds(25))
            bench.clock.advance(by: .seconds(25))
        }
        await reporter.empty.reaches(1)
        #expect(reporter.lines.contains("count 0, evicted 1"))
    }

    @Test func `a provider that is made while the reporter changes gets the later one`() async throws {
        let bench = PoolBench.make(atMost: 9)
        let later = Clerk()
        bench.pool.report(to: Successor(base: Clerk()) { bench.pool.report(to: later) })
        _ = try await bench.pool["ada"].validToken()
        await later.releases.reaches(1)
    }

    @Test func `a provider that is made after the shutdown is shut down before the pool has it`() async throws {
        let bench = PoolBench.make(atMost: 9)
        try await bench.pool.shutdown(within: .seconds(1))
        let found = Lock<[Bool]>([])
        // The second reporter is asked for the new provider's once the pool has that.
        bench.pool.report(
            to: Successor(base: Clerk()) {
                bench.pool.report(
                    to: Successor(base: Clerk()) {
                        let isShutDown = bench.pool["later"].core.read { $0.isShutDown }
                        found.withLock { $0.append(isShutDown) }
                    })
            })
        _ = bench.pool["later"]
        #expect(found.withLock { $0 } == [true])
    }

    @Test func `of two reporters only the later one gets events`() async throws {
        let bench = PoolBench.make(atMost: 9)
        let (former, reporter) = (Clerk(), Clerk())
        bench.pool.report(to: former)
        let auth = bench.pool["ada"]
        bench.pool.report(to: reporter)
        _ = try await auth.validToken()
        await reporter.releases.reaches(1)
        #expect(!former.lines.contains { $0.hasPrefix("ada") })
    }

    @Test func `a former reporter that is deallocated holds up no thread that makes a provider`() {
        let bench = PoolBench.make(atMost: 9)
        let ends = Lock<[Bool]>([])
        let pool = bench.pool
        pool.report(
            to: Leaver {
                let isMade = Self.endsElsewhere { _ = pool["ada"] }
                ends.withLock { $0.append(isMade) }
            })
        pool.report(to: Clerk())
        #expect(ends.withLock { $0 } == [true])
    }

    /// Whether a body ends on another thread while this one waits for it.
    private static func endsElsewhere(_ body: @escaping @Sendable () -> Void) -> Bool {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            end.signal()
        }
        return end.wait(timeout: .now() + 50) == .success
    }
}

/// Records its events.
private final class Clerk: PoolReporter {
    let releases = Tally()
    let empty = Tally()
    private let written = Lock<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func reporter(of id: String) -> any AuthorizationReporter { Desk(clerk: self, name: id) }
    func note(count: Int, evicted: Int) {
        write("count \(count), evicted \(evicted)")
        if count == 0, evicted > 0 { empty.add() }
    }
    func write(_ line: String) { written.withLock { $0.append(line) } }

    private struct Desk: AuthorizationReporter {
        let clerk: Clerk
        let name: String

        func note(_ event: AuthorizationEvent) {
            clerk.write("\(name): \(event)")
            if event.kind == .requestsReleased { clerk.releases.add() }
        }
        func decorated<Token: AuthorizationToken>(_ service: any RefreshableTokenService<Token>)
            -> any RefreshableTokenService<Token>
        {
            service
        }
    }
}

/// Runs a body when it is deallocated.
private final class Leaver: PoolReporter {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }

    func reporter(of id: String) -> any AuthorizationReporter { Clerk().reporter(of: id) }
    func note(count: Int, evicted: Int) {}
}

/// Is replaced when it is asked for the reporter of a provider.
private struct Successor: PoolReporter {
    let base: Clerk
    let replace: @Sendable () -> Void

    func reporter(of id: String) -> any AuthorizationReporter {
        replace()
        return base.reporter(of: id)
    }

    func note(count: Int, evicted: Int) {}
}
