// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import PoolStress
import Testing

/// Small runs: one without problems, and one whose problems must be found.
@Suite struct PoolStressTests {
    private func options(withoutPool: Bool = false) -> PoolStressOptions {
        var options = PoolStressOptions()
        (options.identities, options.limit, options.tasks) = (3_000, 200, 8)
        options.withoutPool = withoutPool
        return options
    }

    @Test func `the pool makes no second provider, and one token call for each expiry`() async throws {
        let report = try await PoolStressRun(options()).run()
        #expect(report.liveDuplicates == 0 && report.duplicateTokenCalls == 0)
        #expect(report.tokenCalls == report.sessions + report.expiries)
        #expect(report.made > report.identities && report.expiries > 0)
    }

    @Test func `a table that evicts providers in use is detected`() async throws {
        let report = try await PoolStressRun(options(withoutPool: true)).run()
        #expect(report.liveDuplicates > 0)
        #expect(!report.problems.isEmpty)
    }
}
