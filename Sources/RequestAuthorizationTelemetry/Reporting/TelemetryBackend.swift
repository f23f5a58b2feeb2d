// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
import Metrics
import Tracing

/// The destination of metrics and spans.
///
/// The bootstrapped systems are looked up each time, because a program may make its providers before it bootstraps.
struct TelemetryBackend: Sendable {
    let metrics: (any MetricsFactory)?
    let dimensions: [(String, String)]
    let tracer: (any Tracer)?

    var currentTracer: any Tracer { tracer ?? InstrumentationSystem.tracer }

    /// Makes the metric anew for each event. Backends keep one handler for each label and its dimensions.
    func counter(_ label: String, _ more: (String, String)...) -> Counter {
        Counter(label: label, dimensions: dimensions + more, factory: factory)
    }

    func gauge(_ label: String) -> Gauge { Gauge(label: label, dimensions: dimensions, factory: factory) }

    func recorder(_ label: String, _ more: (String, String)...) -> Recorder {
        Recorder(label: label, dimensions: dimensions + more, factory: factory)
    }

    func timer(_ label: String, _ more: (String, String)...) -> Metrics.Timer {
        Timer(label: label, dimensions: dimensions + more, factory: factory)
    }

    private var factory: any MetricsFactory { metrics ?? MetricsSystem.factory }
}

extension TelemetryBackend {
    /// Counts an event. All values of dimensions come from closed sets.
    func count(_ event: AuthorizationEvent) {
        let cause = ("cause", (event.cause?.description).asLabel)
        switch event.kind {
        case .refreshStarted:
            guard let left = event.expiresIn else { break }
            recorder("authorization_expiry_at_refresh_seconds", cause).record(left / .seconds(1))
        case .refreshEnded:
            let outcome = ("outcome", (event.outcome?.description).asLabel)
            counter("authorization_refreshes_total", cause, outcome).increment()
            timer("authorization_refresh_duration_seconds", cause, outcome).record(duration: event.duration ?? .zero)
        case .refreshFailed:
            counter("authorization_refresh_failures_total", cause, ("kind", event.failureKind)).increment()
        case .lockAwaited:
            let outcome = ("outcome", event.error == nil ? "locked" : "failed")
            timer("authorization_lock_wait_seconds", outcome).record(duration: event.duration ?? .zero)
        case .sessionEnded:
            let reason = (event.error as? NotAuthorized)?.reason.description
            counter("authorization_sessions_ended_total", ("reason", reason.asLabel)).increment()
        case .requestsReleased: counter("authorization_requests_held_total").increment(by: event.count ?? 0)
        case .unauthorized: counter("authorization_unauthorized_total").increment()
        case .requestRetried: counter("authorization_retries_total").increment()
        case .refreshedTooOften: counter("authorization_storms_total").increment()
        case .saveFailed: counter("authorization_store_failures_total", ("operation", "save")).increment()
        case .clearFailed: counter("authorization_store_failures_total", ("operation", "clear")).increment()
        case .tokenAdopted: counter("authorization_adoptions_total").increment()
        case .tokenExpiredOnArrival: counter("authorization_expired_on_arrival_total").increment()
        default: break
        }
    }
}

extension AuthorizationEvent {
    /// The kind of a failed refresh, as a value of a dimension.
    fileprivate var failureKind: String {
        switch error {
        case let error as any TokenServiceFailure:
            error.kind == .noRefreshToken ? "no_refresh_token" : error.kind.rawValue
        case let error as NotAuthorized: Optional(error.reason.description).asLabel
        default: "transient"
        }
    }
}

extension Optional<String> {
    /// A value of a dimension. Some backends reject spaces.
    fileprivate var asLabel: String { (self ?? "unknown").replacing(" ", with: "_") }
}
#endif
