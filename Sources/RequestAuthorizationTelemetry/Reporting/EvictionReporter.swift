// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
import Metrics
import RequestAuthorization

/// Counts the providers that a pool holds and evicts, and makes a reporter for each of them.
struct EvictionReporter<ID: Hashable & Sendable>: PoolReporter {
    let telemetry: PoolTelemetry<ID>

    func reporter(of id: ID) -> any AuthorizationReporter {
        EventReporter(telemetry.logger, label: telemetry.label(id), telemetry.backend)
    }

    func note(count: Int, evicted: Int) {
        telemetry.backend.gauge("authorization_pool_providers").record(count)
        if evicted > 0 { telemetry.backend.counter("authorization_pool_evictions_total").increment(by: evicted) }
    }
}
#endif
