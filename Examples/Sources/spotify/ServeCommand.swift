// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import LocalSpotify
import SpotifyTool

/// `spotify serve`: a local Spotify for all commands with `--local`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves a local Spotify, for all commands with --local.",
        discussion: """
            It needs no account and no network. It serves a consent page, tokens and invented music on 127.0.0.1 until \
            Ctrl-C, and keeps nothing afterwards. On another port than 8181 it prints the value for SPOTIFY_LOCAL.
            """)

    @Option(help: ArgumentHelp("The port to listen on; 0 for any free one.", valueName: "n"))
    var port = LocalService.defaultPort

    @Option(help: ArgumentHelp("The lifetime of access tokens.", valueName: "seconds"))
    var tokenLifetime = 3600

    @Option(help: "Whether each refresh brings a new refresh token and spends the old one.")
    var rotation = TokenPolicy.Rotation.on

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...86400).contains(tokenLifetime) else {
            throw ValidationError("--token-lifetime must be between 1 and 86400 seconds.")
        }
    }

    func run() async throws {
        try await output.run { output in
            let policy = TokenPolicy(rotation: rotation, accessTokenLifetime: .seconds(tokenLifetime))
            try await LocalService(policy: policy, port: port).run(output)
        }
    }
}
