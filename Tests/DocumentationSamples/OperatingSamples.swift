// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationTelemetry
import RequestAuthorizationTesting
import ServiceLifecycle
import Testing
import UnixSignals

@Suite(.timeLimit(.minutes(5))) struct OperatingSamples {
    private let logger = Logger(label: "samples") { _ in SwiftLogNoOpLogHandler() }
    private let clock = ManualClock()

    @Test func `one line reports on a provider, and one on a pool`() async throws {
        let service = ScriptedTokenService<TestToken>(forever: .token("a"))
        let auth = RefreshableTokenAuthorization(service: service)
        // sample: provider
        auth.report(to: .init(logger: logger, label: "billing"))
        // end sample
        let pool = AuthorizationPool { (_: Int) in RefreshableTokenAuthorization(service: service) }
        // sample: pool
        pool.report(to: .init(logger: logger, label: { "user \($0)" }))
        // end sample
        #expect(try await auth.validToken() == pool[7].validToken())
    }

    @Test func `a server drains first, and its providers end last`() async throws {
        let service = ScriptedTokenService<TestToken>(clock: clock, forever: .token("new", lasts: .seconds(100)))
        let (held, left) = (Provider(service, clock, lasts: 100), Provider(service, clock, lasts: 50))
        let pool = AuthorizationPool(clock: clock) { $0 == "ada" ? held.auth : left.auth }
        clock.advance(by: .seconds(95))
        let server = StubHTTPServer {
            [try await pool["ada"].validToken().name, try await pool["bob"].validToken().name]
        }
        // sample: group
        let group = ServiceGroup(
            services: [
                AtShutdown { try await pool.shutdown(within: .seconds(10)) },  // when the server has drained
                server,
                AtShutdown { pool.stopBackgroundRefresh() },  // shut down first: the last in the list
            ],
            gracefulShutdownSignals: [.sigterm], logger: logger)
        // end sample
        let running = Task { try await group.run() }
        try await server.started.value()
        await group.triggerGracefulShutdown()
        try await running.value
        // Ada's token is about to expire and Bob's has expired: only Bob's request needs a refresh.
        #expect(try await server.served.value() == ["held", "new"])
        #expect(service.calls == 1)
        await #expect { try await pool["ada"].validToken() } throws: { ($0 as? NotAuthorized)?.reason == .shutDown }
    }
}

// sample: service
/// Runs code when its turn in a graceful shutdown has come.
struct AtShutdown: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await gracefulShutdown()
        try await body()
    }
}
// end sample

/// A provider whose token lasts this many seconds.
private struct Provider {
    let auth: RefreshableTokenAuthorization<TestToken>

    init(_ service: ScriptedTokenService<TestToken>, _ clock: ManualClock, lasts lifetime: Double) {
        let token = TestToken("held", expiresAt: clock.now.addingTimeInterval(lifetime))
        auth = RefreshableTokenAuthorization(service: service, token: token, clock: clock)
    }
}

/// Serves its last requests when it is asked to end.
private struct StubHTTPServer: Service {
    let started = OneShot<Void>()
    let served = OneShot<[String]>()
    let drain: @Sendable () async throws -> [String]

    init(drain: @escaping @Sendable () async throws -> [String]) { self.drain = drain }

    func run() async throws {
        started.fulfill()
        try await gracefulShutdown()
        served.fulfill(with: .success(try await drain()))
    }
}
#endif
