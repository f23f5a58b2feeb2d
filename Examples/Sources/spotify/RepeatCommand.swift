// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool
import SpotifyWebAPI

/// `spotify repeat`.
struct RepeatCommand: AsyncParsableCommand {
    enum Mode: String, CaseIterable, ExpressibleByArgument {
        case off, track, context
    }

    static let configuration = CommandConfiguration(
        commandName: "repeat", abstract: "Sets what is repeated: the track, its album or playlist, or nothing.")

    @Argument(help: "What to repeat.")
    var mode: Mode

    @Option(help: ArgumentHelp("The device, by name or id; by default the active one.", valueName: "name"))
    var device: String?

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await options.run { try await $0.setRepeat(RepeatMode(rawValue: mode.rawValue), on: device) }
    }
}
