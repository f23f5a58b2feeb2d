// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
import Logging
import RequestAuthorization

/// Turns the events of one provider into logs and metrics, and puts spans around its service.
struct EventReporter: AuthorizationReporter {
    private let logger: Logger
    private let backend: TelemetryBackend

    init(_ logger: Logger, label: String, _ backend: TelemetryBackend) {
        var logger = logger
        logger[metadataKey: "authorization.label"] = "\(label)"
        self.logger = logger
        self.backend = backend
    }

    func note(_ event: AuthorizationEvent) {
        backend.count(event)
        logger.log(level: event.level, "\(event.kind)", metadata: event.metadata)
    }

    func decorated<Token: AuthorizationToken>(_ service: any RefreshableTokenService<Token>)
        -> any RefreshableTokenService<Token>
    {
        TracedTokenService(service: service, tracer: backend.currentTracer)
    }
}
#endif
