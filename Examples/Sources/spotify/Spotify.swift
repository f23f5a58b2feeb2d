// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser

/// The command-line tool.
@main struct Spotify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spotify", abstract: "Calls Spotify with tokens that are refreshed by themselves.",
        subcommands: [ServeCommand.self, DemoCommand.self])
}
