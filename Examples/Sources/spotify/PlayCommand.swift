// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify play`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Plays something, or resumes what was paused.",
        discussion: "It needs Spotify Premium, and Spotify open on a device.")

    @Argument(help: "A URI as `spotify search` prints it, or a link of open.spotify.com.")
    var uri: String?

    @Option(help: ArgumentHelp("The device to play on, by name or id; by default the active one.", valueName: "name"))
    var device: String?

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.play(uri, on: device) } }
}
