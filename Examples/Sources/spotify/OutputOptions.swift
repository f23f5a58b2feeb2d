// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import SpotifyTool

/// The format of results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON value and nothing else.")
    var json = false

    /// Runs a command, and writes its failure to standard error.
    func run(_ body: (ToolOutput) async throws -> Void) async throws {
        let output = ToolOutput(json: json, environment: ProcessInfo.processInfo.environment)
        do {
            try await body(output)
        } catch let failure as ToolFailure {
            output.show(failure)
            throw ExitCode(failure.status.code)
        }
    }
}
