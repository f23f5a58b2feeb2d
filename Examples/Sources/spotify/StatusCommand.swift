// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says whether an account is signed in, for which scopes and how long.",
        discussion: "It makes no call and never prints the token. The exit code is 77 if the account is not signed in.")

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.status() } }
}
