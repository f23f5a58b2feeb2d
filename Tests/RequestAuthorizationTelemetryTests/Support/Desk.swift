// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import InMemoryTracing
import Metrics
import MetricsTestKit
import RequestAuthorizationTelemetry
import RequestAuthorizationTesting
import Testing

/// The operator's view: logs, metrics and spans in memory, and a clock that a test moves.
struct Desk {
    let clock = ManualClock()
    let logs = LogRecorder()
    let metrics = TestMetrics()
    let tracer = InMemoryTracer()

    func telemetry(_ label: String = "billing", dimensions: [(String, String)] = []) -> AuthorizationTelemetry {
        AuthorizationTelemetry(
            logger: logs.logger, label: label, metrics: metrics, dimensions: dimensions, tracer: tracer)
    }

    func poolTelemetry() -> PoolTelemetry<String> {
        PoolTelemetry(logger: logs.logger, label: { "user \($0)" }, metrics: metrics, tracer: tracer)
    }

    /// A provider that reports here, with a token `old` that lasts 100 s.
    func provider(
        lasts lifetime: Double = 100, _ script: ScriptedTokenService<TestToken>.Step...
    ) -> RefreshableTokenAuthorization<TestToken> {
        let service = ScriptedTokenService<TestToken>(clock: clock)
        for step in script { service.append(step) }
        return provider(of: service, lasts: lifetime)
    }

    func provider(
        of service: some RefreshableTokenService<TestToken>, lasts lifetime: Double = 100,
        onHold: (@Sendable () -> Void)? = nil
    ) -> RefreshableTokenAuthorization<TestToken> {
        let token = TestToken("old", expiresAt: clock.now.addingTimeInterval(lifetime))
        let auth = RefreshableTokenAuthorization(
            service: service, token: token, store: nil, policy: .init(backOff: .init(patience: .zero)), clock: clock,
            onHold: onHold)
        auth.report(to: telemetry())
        return auth
    }

    // MARK: Counts

    func count(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
        try metrics.expectCounter(label, dimensions).totalValue
    }

    func seconds(_ label: String, _ dimensions: [(String, String)] = []) throws -> [Double] {
        try metrics.expectTimer(label, dimensions).values.map { Double($0) / 1e9 }
    }

    /// All dimensions that metrics have, as `name=value`.
    var dimensions: Set<String> {
        let all =
            metrics.counters.map(\.dimensions) + metrics.timers.map(\.dimensions) + metrics.recorders.map(\.dimensions)
        return Set(all.flatMap { $0 }.map { "\($0.0)=\($0.1)" })
    }

    var metricNames: Set<String> {
        Set(metrics.counters.map(\.label) + metrics.timers.map(\.label) + metrics.recorders.map(\.label))
    }
}

struct Offline: Error {}
#endif
