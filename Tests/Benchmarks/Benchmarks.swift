// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport

/// Measures what `Documentation/Performance.md` promises of the core, and exits with 1 if a promise is not kept.
///
///     swift run -c release Benchmarks [--json] [GROUP…]
@main
struct Benchmarks {
    static func main() async {
        await BenchmarkRun(groups: [
            ("allocations", measureAllocations), ("requests", measureURLRequests), ("reading", measureReading),
            ("challenges", measureChallenges), ("waiting", measureWaiting),
            ("storage", measureStorage),
        ]).run()
    }
}
