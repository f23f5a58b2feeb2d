// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// The command-line tool.
@main struct Spotify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spotify", abstract: "Calls Spotify with tokens that are refreshed automatically.",
        discussion: """
            Without an account, in two terminals:

              spotify serve           # a local Spotify with invented music
              spotify login --local   # then: spotify me --local, spotify now --local …

            With Spotify itself: make an app at https://developer.spotify.com/dashboard with the redirect URI \
            http://127.0.0.1/callback, then

              export CLIENT_ID=…      # and CLIENT_SECRET=… if the app uses its secret
              spotify login

            Exit codes:
            \(ExitStatus.allCases.map { "  \($0.code)\($0.code < 10 ? "   " : "  ")\($0.meaning)" }.joined(separator: "\n"))
            """,
        subcommands: [
            LoginCommand.self, LogoutCommand.self, StatusCommand.self, MeCommand.self, SearchCommand.self,
            NowCommand.self,
            PlayCommand.self, PauseCommand.self, RepeatCommand.self, ShuffleCommand.self, PlaylistsCommand.self,
            ServeCommand.self, DemoCommand.self,
        ])
}
