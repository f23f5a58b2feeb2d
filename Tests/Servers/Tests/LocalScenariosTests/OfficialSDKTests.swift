// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Glibc)
import Foundation
import LocalScenarios
import TestServers
import Testing

/// A client that nobody here wrote: what the scenarios ask for is what others understand by it.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)))
struct OfficialSDKTests {
    /// It has no proofs of possession, and no grant for the assertion of a workload.
    private static let failing: Set = ["auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer"]

    @Test func `the official Python SDK passes 30 of the 33 scenarios`() async throws {
        let client = try SDKClient()
        defer { client.end() }
        for version in WireVersion.allCases {
            for scenario in Scenario.all {
                let verdict = try await scenario.run(at: version) { run in
                    // What it throws is for the log: negative scenarios expect it.
                    await run.log("client: " + (try await client.perform(run.context)))
                }
                #expect(verdict.passed == !Self.failing.contains(scenario.name), "\(verdict)")
            }
        }
    }
}

/// A process that passes one scenario after the other.
private final class SDKClient: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init() throws {
        process.executableURL = URL(filePath: FastMCP.python)
        process.arguments = [FastMCP.script("mcp_sdk_client.py")]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
    }

    /// - Returns: how the calls ended.
    func perform(_ context: ScenarioContext) async throws -> String {
        let line = try JSONEncoder().encode(context) + Data("\n".utf8)
        return try await onOwnThread { [input, output] in
            try input.fileHandleForWriting.write(contentsOf: line)
            // It writes one line for each that it reads.
            var answer = Data()
            while answer.last != UInt8(ascii: "\n") {
                let part = output.fileHandleForReading.availableData
                guard !part.isEmpty else { throw Failure("the client has ended") }
                answer += part
            }
            return String(decoding: answer.dropLast(), as: UTF8.self)
        }
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }
}
#endif
