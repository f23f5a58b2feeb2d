// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
public import Metrics
public import Tracing

/// The destinations of a provider's logs, metrics and traces.
///
///     auth.report(to: .init(logger: logger, label: "billing"))
///
/// Logs contain the label, the cause of a refresh and its duration. Metrics never contain the label, and their
/// dimensions have few values. Each fetch of a token has a span. None of them contains a token.
///
/// Requests that find a valid token report nothing.
public struct AuthorizationTelemetry: Sendable, RedactedDescription {
    private var logger: Logger
    private let backend: TelemetryBackend

    /// Creates the destinations for one provider.
    ///
    /// - Parameters:
    ///   - logger: receives the log lines. A successful request logs nothing above `debug`.
    ///   - label: the provider's name in log lines, chosen by you. It must not be secret.
    ///   - metrics: receives the metrics; the bootstrapped `MetricsSystem` by default.
    ///   - dimensions: further dimensions of all metrics, such as the name of the issuer. They must not name users.
    ///   - tracer: receives the spans; the bootstrapped `InstrumentationSystem` by default.
    public init(
        logger: Logger, label: String, metrics: (any MetricsFactory)? = nil, dimensions: [(String, String)] = [],
        tracer: (any Tracer)? = nil
    ) {
        self.init(logger, label: label, TelemetryBackend(metrics: metrics, dimensions: dimensions, tracer: tracer))
    }

    init(_ logger: Logger, label: String, _ backend: TelemetryBackend) {
        (self.logger, self.backend) = (logger, backend)
        self.logger[metadataKey: "authorization.label"] = "\(label)"
    }
}

extension RefreshableTokenAuthorization {
    /// Reports logs, metrics and traces of this provider from now on, and replaces the earlier destination.
    ///
    /// A provider of an `AuthorizationPool` reports to its pool's destination, if the pool has one.
    public nonisolated func report(to telemetry: AuthorizationTelemetry) {
        let reporter: any AuthorizationReporter = telemetry
        report(to: reporter)
    }
}

/// Turns the events of a provider into logs and metrics, and puts spans around its service.
extension AuthorizationTelemetry: AuthorizationReporter {
    package func note(_ event: AuthorizationEvent) {
        backend.count(event)
        logger.log(level: event.level, "\(event.kind)", metadata: event.metadata)
    }

    package func decorated<Token: AuthorizationToken>(_ service: any RefreshableTokenService<Token>)
        -> any RefreshableTokenService<Token>
    {
        TracedTokenService(service: service, tracer: backend.currentTracer)
    }
}
#endif
