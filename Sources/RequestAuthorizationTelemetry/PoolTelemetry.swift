// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
public import Metrics
public import Tracing

/// The destinations of the logs, metrics and traces of a pool and of all its providers.
///
///     pool.report(to: .init(logger: logger, label: { $0.description }))
///
/// The metrics are those of ``AuthorizationTelemetry`` for all providers together, the size of the pool, and its
/// evictions. No metric contains an identity.
public struct PoolTelemetry<ID: Hashable & Sendable>: Sendable, RedactedDescription {
    private let logger: Logger
    private let label: @Sendable (ID) -> String
    private let backend: TelemetryBackend

    /// Creates the destinations for a pool.
    ///
    /// - Parameters:
    ///   - logger: receives the log lines. A successful request logs nothing above `debug`.
    ///   - label: the name of an identity in log lines, which must not be secret. Called once for each new provider.
    ///   - metrics: receives the metrics; the bootstrapped `MetricsSystem` by default.
    ///   - dimensions: further dimensions of all metrics, such as the name of the pool. They must not name users.
    ///   - tracer: receives the spans; the bootstrapped `InstrumentationSystem` by default.
    public init(
        logger: Logger, label: @escaping @Sendable (ID) -> String, metrics: (any MetricsFactory)? = nil,
        dimensions: [(String, String)] = [], tracer: (any Tracer)? = nil
    ) {
        (self.logger, self.label) = (logger, label)
        backend = TelemetryBackend(metrics: metrics, dimensions: dimensions, tracer: tracer)
    }
}

extension AuthorizationPool {
    /// Reports logs, metrics and traces of the pool, and of its present and later providers, from now on.
    public func report(to telemetry: PoolTelemetry<ID>) {
        let reporter: any PoolReporter<ID> = telemetry
        report(to: reporter)
    }
}

/// Counts the providers that a pool holds and evicts, and makes a reporter for each of them.
extension PoolTelemetry: PoolReporter {
    package func reporter(of id: ID) -> any AuthorizationReporter {
        AuthorizationTelemetry(logger, label: label(id), backend)
    }

    package func note(count: Int, evicted: Int) {
        backend.gauge("authorization_pool_providers").record(count)
        if evicted > 0 { backend.counter("authorization_pool_evictions_total").increment(by: evicted) }
    }
}
#endif
