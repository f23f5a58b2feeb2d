// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import SpotifyTool

/// `spotify login`.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Signs in, in the browser.",
        discussion: """
            Prints the address of Spotify's page, opens it, and waits up to ten minutes for your answer. Register \
            http://127.0.0.1/callback as a redirect URI of your app; the port is added when the page is opened. The \
            token goes to a file that only you can open; it is refreshed automatically.
            """)

    @Flag(help: "Only print the address.")
    var noBrowser = false

    @Flag(
        help: "Show a code to enter on another device. Only with --local: Spotify does not offer it to ordinary apps.")
    var device = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Ask for this scope instead of all that the commands need; may be repeated.", valueName: "scope"))
    var scope: [String] = []

    @OptionGroup var options: ToolOptions

    func validate() throws {
        guard !device || options.local else {
            throw ValidationError(
                "Spotify has no device sign-in for ordinary apps. Leave --device out, or try it with --local.")
        }
    }

    func run() async throws {
        let scopes = scope.isEmpty ? Tool.scopes : Set(scope)
        try await options.run { tool in
            if device {
                try await tool.loginWithDevice(scopes: scopes)
            } else {
                try await tool.login(
                    scopes: scopes, opensBrowser: !noBrowser, searchPath: ProcessInfo.processInfo.environment["PATH"])
            }
        }
    }
}
