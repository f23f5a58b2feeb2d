// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import SpotifyTool

/// The options of all commands that call Spotify.
struct ToolOptions: ParsableArguments {
    @Flag(help: "Use the local Spotify that `spotify serve` runs.")
    var local = false

    @Option(help: ArgumentHelp("The account, to keep several sign-ins apart.", valueName: "name"))
    var account = ToolSettings.defaultAccount

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !account.isEmpty else { throw ValidationError("--account must not be empty.") }
    }

    func run(_ body: (Tool) async throws -> Void) async throws {
        try await output.run {
            try await body(
                Tool(
                    ToolSettings(local: local, account: account, environment: ProcessInfo.processInfo.environment), $0))
        }
    }
}
