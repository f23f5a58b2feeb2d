// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalScenarios
import TestWidth
import Testing

/// The scenarios can be passed, and each notices a client that is broken on purpose.
struct ScenarioTests {
    @Test func `there are the 33 scenarios of the official suite`() {
        #expect(Set(Scenario.all.map(\.name)).count == 33)
        #expect(Scenario.all.filter { $0.group == .required }.count == 25)
        #expect(Scenario.all.filter { $0.group == .extension }.count == 6)
        #expect(Scenario.named("dpop")?.name == "auth/dpop")
    }

    @Test(arguments: Scenario.all, WireVersion.allCases)
    func `the reference client passes`(scenario: Scenario, version: WireVersion) async throws {
        for variant in scenario.variants {
            let verdict = try await verdict(on: nil, scenario, version, variant)
            #expect(verdict.passed, "\(verdict)")
        }
    }

    @Test(arguments: Control.all, WireVersion.allCases)
    func `a broken client fails for the expected reason`(control: Control, version: WireVersion) async throws {
        let scenario = try #require(Scenario.named(control.scenario))
        let verdict = try await verdict(on: control.mistake, scenario, version, control.variant)
        #expect(verdict.failed(control.check), "\(verdict)")
    }

    @Test(arguments: WireVersion.allCases)
    func `a registration states its application type since 2026-07-28`(version: WireVersion) async throws {
        let scenario = try #require(Scenario.named("metadata-default"))
        let verdict = try await verdict(on: .leavesOutApplicationType, scenario, version, .plain)
        #expect(verdict.failed("application-type") == (version == .july2026), "\(verdict)")
    }

    @Test func `each scenario, variant and mistake has a control`() {
        for scenario in Scenario.all {
            for variant in scenario.variants {
                let controls = Control.all.filter { $0.scenario == scenario.name && $0.variant == variant }
                #expect(!controls.isEmpty, "\(scenario), \(variant.rawValue)")
            }
        }
        let used = Set(Control.all.map(\.mistake)).union([.leavesOutApplicationType])
        #expect(used == Set(Break.allCases))
    }

    @Test func `a client that does nothing fails each scenario`() async throws {
        for scenario in Scenario.all {
            for variant in scenario.variants {
                let verdict = try await scenario.run(at: .july2026, as: variant) { _ in }
                #expect(!verdict.passed, "\(verdict)")
            }
        }
    }

    /// Runs the reference client, with a mistake or none.
    private func verdict(
        on mistake: Break?, _ scenario: Scenario, _ version: WireVersion, _ variant: Scenario.Variant
    ) async throws -> Verdict {
        try await Inbox.listen { inbox, redirectURI in
            try await scenario.run(at: version, as: variant, redirectURI: redirectURI) { run in
                let client = ReferenceClient(run, mistake, inbox, redirectURI: redirectURI)
                try await run.performCalls { try await client.send($0) }
            }
        }
    }
}
