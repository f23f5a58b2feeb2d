// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify shuffle`.
struct ShuffleCommand: AsyncParsableCommand {
    enum State: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "shuffle", abstract: "Plays in random order, or in the usual order again.")

    @Argument(help: "Whether to shuffle.")
    var state: State

    @Option(help: ArgumentHelp("The device, by name or id; by default the active one.", valueName: "name"))
    var device: String?

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.setShuffle(state == .on, on: device) } }
}
