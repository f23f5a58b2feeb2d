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
        commandName: "repeat", abstract: "Repeats the track, the album or playlist around it, or nothing.")

    @Argument(help: "What to repeat.")
    var mode: Mode

    @Option(help: ArgumentHelp("The device, by name or id; else the one that is active.", valueName: "name"))
    var device: String?

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await options.run { try await $0.setRepeat(RepeatMode(rawValue: mode.rawValue), on: device) }
    }
}
