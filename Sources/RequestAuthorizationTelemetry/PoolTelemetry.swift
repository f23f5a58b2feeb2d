// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
public import Metrics
public import Tracing

/// Where the logs, metrics and traces of a pool and of all its providers go.
///
///     pool.report(to: .init(logger: logger, label: { $0.description }))
///
/// The metrics are those of ``AuthorizationTelemetry`` for all providers together, the size of the pool, and its evictions. No
/// identity is part of a metric.
public struct PoolTelemetry<ID: Hashable & Sendable>: Sendable, RedactedDescription {
    let logger: Logger
    let label: @Sendable (ID) -> String
    let backend: TelemetryBackend

    /// - Parameters:
    ///   - logger: what log lines go to. A request that goes well logs nothing above `debug`.
    ///   - label: the name of an identity in log lines, no secret. Called once for each provider that the pool makes.
    ///   - metrics: what counts; the bootstrapped `MetricsSystem` by default.
    ///   - dimensions: further dimensions of all metrics, such as the name of the pool. They must not name users.
    ///   - tracer: what spans go to; the bootstrapped `InstrumentationSystem` by default.
    public init(
        logger: Logger, label: @escaping @Sendable (ID) -> String, metrics: (any MetricsFactory)? = nil,
        dimensions: [(String, String)] = [], tracer: (any Tracer)? = nil
    ) {
        self.logger = logger
        self.label = label
        backend = TelemetryBackend(metrics: metrics, dimensions: dimensions, tracer: tracer)
    }
}

extension AuthorizationPool {
    /// Sends logs, metrics and traces of the pool, and of the providers that it has and makes, there from now on.
    public func report(to telemetry: PoolTelemetry<ID>) {
        let reporter: any PoolReporter<ID> = EvictionReporter(telemetry: telemetry)
        report(to: reporter)
    }
}
#endif
