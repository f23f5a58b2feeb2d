// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport

/// Measures the promises of `Documentation/Performance.md` for the core, and exits with 1 if a bound is missed.
///
///     swift run -c release --package-path Tests/Benchmarks Benchmarks
///
/// Options: `[--json] [--strict] [--slow-down=FACTOR] [GROUP…]`
@main
struct Benchmarks {
    static func main() {
        BenchmarkRun(groups: [
            BenchmarkGroup("allocations", measured: measureAllocations),
            BenchmarkGroup("requests", counted: compareURLRequests),
            BenchmarkGroup("composition", counted: compareComposition),
            BenchmarkGroup("sending", counted: compareSending),
            BenchmarkGroup("reading", counted: compareReading, measured: measureReading),
            BenchmarkGroup("memory", measured: measureMemory),
            BenchmarkGroup("pools", measured: measurePools),
            BenchmarkGroup("challenges", counted: compareChallenges),
            BenchmarkGroup("suspension", measured: measureSuspension),
            BenchmarkGroup("waiting", counted: compareWaiting, uncounted: measureWaiting),
            BenchmarkGroup("telemetry", counted: compareTelemetry),
            BenchmarkGroup(
                "storage", counted: { try await compareWarmStore() + compareWarmFleet() }, measured: measureRefresh),
        ]).run()
    }
}
