// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LocalScenarios
import TestServers
import Testing

/// The client for suites of other projects, as a process: what such a suite sees.
@Suite(.timeLimit(.minutes(10))) struct ConformanceClientTests {
    /// A session from before cannot be passed in the environment.
    @Test(arguments: Scenario.all, WireVersion.allCases)
    func `conformance-client does what the scenario asks for`(scenario: Scenario, version: WireVersion) async throws {
        for variant in scenario.variants where variant != .earlierSession {
            let verdict = try await scenario.run(at: version, as: variant) { run in
                let context = String(decoding: try JSONEncoder().encode(run.context), as: UTF8.self)
                do {
                    let output = try await Command.run(
                        [Self.program, run.url.absoluteString],
                        environment: [
                            "MCP_CONFORMANCE_SCENARIO": run.context.name, "MCP_CONFORMANCE_CONTEXT": context,
                            "MCP_CONFORMANCE_PROTOCOL_VERSION": version.rawValue,
                        ])
                    await run.log("client: \(output)")
                } catch let failure as Command.Failure {
                    // Negative scenarios ask for it; the others miss the calls that did not come.
                    await run.log("client: \(failure)")
                }
            }
            #expect(verdict.passed, "\(variant): \(verdict)")
        }
    }

    @Test func `without a scenario it fails, and says what is missing`() async throws {
        let failure = await #expect(throws: Command.Failure.self) {
            try await Command.run(
                [Self.program, "http://127.0.0.1:1/mcp"], environment: ["MCP_CONFORMANCE_SCENARIO": ""])
        }
        #expect(failure?.description.contains("MCP_CONFORMANCE_SCENARIO or the server's URL is missing") == true)
    }

    private static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "conformance-client").path
}
#endif
