// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting
import Testing

extension PostgreSQLTests {
    /// Hosts that all ask at the expiry. `ROUND_TRIP=0.2` sets the seconds to the database and back, and prints how long it
    /// takes from the token request until the last host has the token; `HOSTS`, `EXPIRIES` and `TOKEN_REQUEST` (seconds)
    /// set the rest. The connections are warm.
    @Suite struct RoundTripTests {
        private static func setting(_ name: String, _ usual: Double) -> Double {
            ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? usual
        }

        @Test func `all hosts that ask at an expiry get the token of one request`() async throws {
            let roundTrip = Duration.seconds(Self.setting("ROUND_TRIP", 0))
            let (hosts, expiries) = (Int(Self.setting("HOSTS", 8)), Int(Self.setting("EXPIRIES", 3)))
            let schema = try await Schema.make()
            let clock = MovedClock()
            let service = TimedService(clock: clock, length: .seconds(Self.setting("TOKEN_REQUEST", 0)))
            var fleet: [RefreshableTokenAuthorization<TestToken>] = []
            for _ in 0..<hosts {
                let database = DistantDatabase(
                    base: try LibPQDatabase.patient(schema.connection), roundTrip: roundTrip)
                let tokens = try await PostgreSQLTokens(
                    database: database, key: .test(1), listens: false, callLimit: .seconds(60), clock: clock)
                fleet.append(
                    RefreshableTokenAuthorization(
                        service: service, store: tokens.store(client: "web", account: "ada"), clock: clock))
            }
            try await fleet[0].setToken(TestToken("0", expiresAt: clock.now + 600))
            for host in fleet { #expect(try await host.validToken().name == "0") }

            var waits: [Duration] = []
            for expiry in 1...expiries {
                clock.move(by: 601)
                let names = try await withThrowingTaskGroup(of: String.self) { group in
                    for host in fleet { group.addTask { try await host.validToken().name } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                waits.append(clock.uptime - service.began - service.length)
                #expect(names == ["\(expiry)"])
            }
            #expect(service.calls == expiries)
            guard roundTrip > .zero || expiries > 3 else { return }
            waits.sort()
            let (median, almostAll) = (waits[waits.count / 2], waits[(waits.count * 99 + 99) / 100 - 1])
            print("\(hosts) hosts, \(expiries) expiries: median \(median), 99 of 100 \(almostAll)")
        }
    }
}

/// A database whose answers take time.
private struct DistantDatabase: PostgreSQLDatabase {
    let base: LibPQDatabase
    let roundTrip: Duration

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        guard roundTrip > .zero else { return try await base.query(statement, parameters: parameters) }
        try await Task.sleep(for: roundTrip / 2)
        let rows = try await base.query(statement, parameters: parameters)
        try await Task.sleep(for: roundTrip / 2)
        return rows
    }
}

/// Issues the tokens 1, 2, 3, ….
private final class TimedService: RefreshableTokenService {
    let length: Duration
    private let clock: MovedClock
    private let state = Lock((calls: 0, began: Duration.zero))

    init(clock: MovedClock, length: Duration) { (self.clock, self.length) = (clock, length) }

    var calls: Int { state.withLock { $0.calls } }
    /// The uptime at the last call.
    var began: Duration { state.withLock { $0.began } }

    func refresh(_ token: TestToken) async throws -> TestToken {
        let (now, uptime) = (clock.now, clock.uptime)
        let number = state.withLock { state in
            state = (state.calls + 1, uptime)
            return state.calls
        }
        if length > .zero { try await Task.sleep(for: length) }
        return TestToken("\(number)", expiresAt: now + 600)
    }
}

/// The system's clock, whose time of day is moved on.
private final class MovedClock: AuthorizationClock {
    private let moved = Lock(0.0)

    func move(by seconds: Double) { moved.withLock { $0 += seconds } }

    var now: Date { Date() + moved.withLock { $0 } }
    var uptime: Duration { SystemClock().uptime }
    func sleep(for duration: Duration) async throws { try await SystemClock().sleep(for: duration) }
}
#endif
