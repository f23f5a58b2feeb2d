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
#endif
