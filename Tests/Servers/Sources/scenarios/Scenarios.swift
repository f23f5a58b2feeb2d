// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalScenarios

/// Runs one scenario for a client of any language.
///
///     scenarios                                         lists the names
///     scenarios NAME [VERSION] [VARIANT]                until the end of the standard input
///     scenarios NAME [VERSION] [VARIANT] -- COMMAND…    while the client runs; its last argument is the URL
///
/// It prints the context as JSON, and then the verdict. The exit status is 1 if the client failed.
@main
enum Scenarios {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let own = arguments.prefix { $0 != "--" }
        guard let name = own.first else { return list() }
        guard let scenario = Scenario.named(name) else { return fail("there is no scenario \(name)") }
        let others = own.dropFirst()
        let version = others.compactMap(WireVersion.init(rawValue:)).first ?? .july2026
        let variant = others.compactMap(Scenario.Variant.init(rawValue:)).first ?? .plain
        guard others.allSatisfy({ WireVersion(rawValue: $0) != nil || Scenario.Variant(rawValue: $0) != nil }),
            scenario.variants.contains(variant)
        else { return fail("\(name) does not run as \(others.joined(separator: " "))") }
        let command = Array(arguments.drop { $0 != "--" }.dropFirst())
        let verdict = try await scenario.run(at: version, as: variant) { run in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let context = String(decoding: try encoder.encode(run.context), as: UTF8.self)
            // Not buffered: a client's output comes after it.
            FileHandle.standardOutput.write(Data((context + "\n").utf8))
            await command.isEmpty ? waitForInput() : try runClient(command, run, context)
        }
        print(verdict)
        if !verdict.passed { exit(1) }
    }

    private static func list() {
        for scenario in Scenario.all {
            let variants = scenario.variants.map(\.rawValue).joined(separator: ", ")
            print("\(scenario.name)  \(scenario.group.rawValue)  \(variants)\n    The client must \(scenario.duty).")
        }
    }

    private static func fail(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(2)
    }

    private static func waitForInput() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
    }

    /// The variables are those of the official suite.
    private static func runClient(_ command: [String], _ run: ScenarioRun, _ context: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command + [run.url.absoluteString]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "MCP_CONFORMANCE_SCENARIO": run.context.name, "MCP_CONFORMANCE_CONTEXT": context,
            "MCP_CONFORMANCE_PROTOCOL_VERSION": run.context.protocolVersion.rawValue,
        ]) { $1 }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
