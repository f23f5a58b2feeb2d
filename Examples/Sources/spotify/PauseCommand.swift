// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pauses what is playing.")

    @Option(help: ArgumentHelp("The device to pause, by name or id; by default the active one.", valueName: "name"))
    var device: String?

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.pause(on: device) } }
}
