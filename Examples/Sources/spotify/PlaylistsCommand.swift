// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify playlists`.
struct PlaylistsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "playlists", abstract: "Lists your playlists.")

    @Option(help: ArgumentHelp("The maximum number of playlists.", valueName: "n"))
    var limit = 20

    @OptionGroup var options: ToolOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws { try await options.run { try await $0.playlists(limit: limit) } }
}
