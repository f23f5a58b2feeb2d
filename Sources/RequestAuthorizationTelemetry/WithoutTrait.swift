// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if !Telemetry
@available(
    *, unavailable,
    message: "telemetry needs swift-log, swift-metrics and swift-distributed-tracing: enable the trait 'Telemetry'"
)
public struct AuthorizationTelemetry: Sendable {
    public init(logger: Any, label: Any) {}
}
#endif
