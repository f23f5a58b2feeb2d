// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
public import Metrics
public import Tracing

/// Where the logs, metrics and traces of a provider go.
///
///     auth.report(to: .init(logger: logger, label: "billing"))
///
/// Logs carry the label, what began a refresh and how long it took. Metrics never carry the label, and their dimensions have few
/// values. Each call of the token service that fetches a token has a span. No token is part of any of them.
///
/// Nothing runs on requests that find a valid token.
public struct AuthorizationTelemetry: Sendable, RedactedDescription {
    let logger: Logger
    let label: String
    let backend: TelemetryBackend

    /// - Parameters:
    ///   - logger: what log lines go to. A request that goes well logs nothing above `debug`.
    ///   - label: who the provider speaks for, for log lines: a name of your choice that is no secret.
    ///   - metrics: what counts; the bootstrapped `MetricsSystem` by default.
    ///   - dimensions: further dimensions of all metrics, such as the name of the issuer. They must not name users.
    ///   - tracer: what spans go to; the bootstrapped `InstrumentationSystem` by default.
    public init(
        logger: Logger, label: String, metrics: (any MetricsFactory)? = nil, dimensions: [(String, String)] = [],
        tracer: (any Tracer)? = nil
    ) {
        self.logger = logger
        self.label = label
        backend = TelemetryBackend(metrics: metrics, dimensions: dimensions, tracer: tracer)
    }
}

extension RefreshableTokenAuthorization {
    /// Sends logs, metrics and traces of this provider there from now on, in place of where they went before.
    ///
    /// A provider of an `AuthorizationPool` reports where its pool does, if that has been told to.
    public nonisolated func report(to telemetry: AuthorizationTelemetry) {
        report(to: EventReporter(telemetry.logger, label: telemetry.label, telemetry.backend))
    }
}
#endif
