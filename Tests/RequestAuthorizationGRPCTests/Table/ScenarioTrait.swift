// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Testing

/// Records in the table of clients that a test has shown a scenario, each time that it has run to its end.
struct ScenarioTrait: TestTrait, TestScoping {
    let scenarios: [Scenario]

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await function()
        for scenario in scenarios { try ClientTable.record(scenario, .gRPC, .passed) }
    }
}

extension Trait where Self == ScenarioTrait {
    static func shows(_ scenarios: Scenario...) -> Self { ScenarioTrait(scenarios: scenarios) }
}
#endif
